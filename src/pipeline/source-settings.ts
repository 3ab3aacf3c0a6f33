import type { GuardOptions } from '../dataset/guard.ts';
import type { UpdateOptions } from '../dataset/update.ts';
import type { SourceContext } from '../upstream/source.ts';

/**
 * Settings for reading the data, and limits for how much it may differ from the
 * published data.
 */
export interface SourceSettings extends SourceContext, UpdateOptions, GuardOptions {}
