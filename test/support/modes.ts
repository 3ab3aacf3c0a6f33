import { lstatSync } from 'node:fs';

export const octal = (mode: number): string => (mode & 0o7777).toString(8);
export const modeOf = (file: string): string => octal(lstatSync(file).mode);
