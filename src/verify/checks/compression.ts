/** Checks of compressed responses: the same content as without, smaller, and with a validator that works. */

import { listPath, META_FILE, OPENAPI_FILE, SEARCH_FILE } from '../../contract/paths.ts';
import type { ProbeResponse } from '../../http/probe.ts';
import { type Check, members } from '../context.ts';

const headers = { 'Accept-Encoding': 'gzip' };

/** What hosts need not compress, as it fits into one packet. */
const MIN_LENGTH = 1024;

/** Of the API, hosts may compress: then by the same rules. */
const files = [`/${OPENAPI_FILE}`, `/${SEARCH_FILE}`];
const optional = [listPath('move'), `/${META_FILE}`];

const checkCompression: Check = async ({ probe }, fail) => {
  for (const path of [...files, ...optional]) {
    const plain = await probe.send({ path });
    if (plain.status !== 200 || plain.text.length < MIN_LENGTH) continue;
    const packed = await probe.send({ path, headers });
    for (const problem of problemsOf(path, plain, packed)) fail(packed, problem);
    if (packed.encoding === undefined) continue;
    const etag = packed.header('etag') ?? '';
    const known = await probe.send({ path, headers: { ...headers, 'If-None-Match': etag } });
    if (known.status !== 304) fail(known, `got status ${known.status}, expected 304`);
    const head = await probe.send({ method: 'HEAD', path, headers });
    if (head.header('etag') !== etag) fail(head, `got ETag ${head.header('etag')}, expected ${etag}`);
  }
};

function* problemsOf(path: string, plain: ProbeResponse, packed: ProbeResponse): Generator<string> {
  if (packed.encoding !== 'gzip') {
    if (files.includes(path)) yield `got Content-Encoding ${packed.encoding}, expected gzip`;
    return;
  }
  if (packed.text !== plain.text) yield 'got other content than without Accept-Encoding';
  const vary = members(packed.header('vary') ?? '');
  if (!vary.includes('accept-encoding'))
    yield `got Vary ${vary.join(', ')}, expected it to include Accept-Encoding`;
  const [etag, other] = [packed.header('etag'), plain.header('etag')];
  if (etag === undefined) yield 'got no ETag';
  else if (etag === other && !etag.startsWith('W/'))
    yield `got ETag ${etag}, the same as without Accept-Encoding, expected another, or a weak one`;
}

export const compressionChecks = { compression: checkCompression };
