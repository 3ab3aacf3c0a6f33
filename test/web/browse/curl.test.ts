import { expect, it } from 'vitest';
import { createCurlCommand } from '../../../src/web/browse/curl.ts';

it('quotes the URL in a curl command, because & is special in shells', () => {
  expect(createCurlCommand('http://host.test/?a=1&b=2')).toBe(
    'curl "http://host.test/?a=1&b=2"',
  );
});

it('percent-encodes characters that shells expand inside double quotes', () => {
  expect(createCurlCommand('http://host.test/"$(a)`b`\\!')).toBe(
    'curl "http://host.test/%22%24(a)%60b%60%5c%21"',
  );
});
