import type { FileBody } from '../../src/contract/meta.ts';

export const bodyText = (body: FileBody): string =>
  Buffer.from(body).toString('utf8');
