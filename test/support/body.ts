import type { Body } from '../../src/contract/meta.ts';

export const bodyText = (body: Body): string => Buffer.from(body).toString('utf8');
