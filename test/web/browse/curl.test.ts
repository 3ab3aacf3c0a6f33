import { expect, it } from 'vitest';
import { createCurlCommand } from '../../../src/web/browse/curl.ts';

it('quotes the URL in a curl command, because & is special in shells', () => {
  const command = createCurlCommand('http://host.test/?a=1&b=2');
  expect(command).toBe('curl "http://host.test/?a=1&b=2"');
});

it('percent-encodes characters that shells expand inside double quotes', () => {
  const command = createCurlCommand('http://host.test/"$(a)`b`\\!');
  expect(command).toBe('curl "http://host.test/%22%24(a)%60b%60%5c%21"');
});
