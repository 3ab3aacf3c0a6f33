/** Regular expressions in configuration. */

/** A text as a regular expression. */
export const escapeExpression = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
