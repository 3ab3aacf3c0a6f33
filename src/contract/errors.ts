/** The bodies of refusals, in the reference framework's form. */

import { PAGE_SIZE } from './windows.ts';

/** Status → the file that holds its body. */
export const errorFiles = { 400: '400.json', 404: '404.json', 405: '405.json' } as const;
export type ErrorStatus = keyof typeof errorFiles;

/** Status → what its body says. 405 names no method, since one file has to answer for all. */
export const errorDetails: Readonly<Record<ErrorStatus, string>> = {
  400: `Only the built pages are served here: leave limit out or set it to ${PAGE_SIZE}, and set offset to a multiple of ${PAGE_SIZE} below count.`,
  404: 'Not found.',
  405: 'Method not allowed.',
};

/** What a refusal says where code runs. */
export const notAllowedDetail = (method: string): string => `Method "${method}" not allowed.`;
export const NOT_ACCEPTABLE_DETAIL = 'Could not satisfy the request Accept header.';

export const errorBody = (detail: string): string => JSON.stringify({ detail });
