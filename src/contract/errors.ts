/** The bodies of errors, as in the reference framework. */

import { PAGE_SIZE } from './windows.ts';

/** Status → the file that holds its body. */
export const errorFiles = { 400: '400.json', 404: '404.json', 405: '405.json' } as const;
export type ErrorStatus = keyof typeof errorFiles;

/** Status → the detail of its file. That of 405 names no method, as one file serves all of them. */
export const errorDetails: Readonly<Record<ErrorStatus, string>> = {
  400: `This host serves pages of ${PAGE_SIZE}: omit limit or set it to ${PAGE_SIZE}, and set offset to a multiple of ${PAGE_SIZE} below count.`,
  404: 'Not found.',
  405: 'Method not allowed.',
};

export const notAllowedDetail = (method: string): string => `Method "${method}" not allowed.`;
export const NOT_ACCEPTABLE_DETAIL = 'Could not satisfy the request Accept header.';

export const errorBody = (detail: string): string => JSON.stringify({ detail });
