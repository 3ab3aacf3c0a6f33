import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { compressors } from '../../src/site/downloads.ts';

const lines = Array.from({ length: 5000 }, (_, at) => `{"id":${at},"slug":"record-${(at * 7919) % 5000}"}\n`);

it('compresses to these bytes on every machine and version, with no time in them', () => {
  const body = Buffer.from(lines.join(''));
  const [gz, br] = [compressors.gz(body), compressors.br(body)];
  expect({
    gz: [gz.length, hash('sha256', gz).slice(0, 16)],
    br: [br.length, hash('sha256', br).slice(0, 16)],
  }).toEqual({
    gz: [27906, 'fd2b9f719f9a3548'],
    br: [10840, 'ff47a7fc4e540944'],
  });
  expect([...gz.subarray(0, 10)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
});
