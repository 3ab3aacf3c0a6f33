import { element } from '../shared/dom.ts';
import { classifyValue, formatCell } from './record.ts';

/** Creates the cell or definition that shows a field's value. */
export const createValue = (tag: 'td' | 'dd', value: unknown): HTMLElement =>
  element(tag, { class: classifyValue(value) }, formatCell(value));
