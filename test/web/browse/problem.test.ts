import { describe, expect, it } from 'vitest';
import { kindNames } from '../../../src/contract/kinds.ts';
import { listPath } from '../../../src/contract/paths.ts';
import {
  describeError,
  describeUnreadable,
  suggestWays,
} from '../../../src/web/browse/problem.ts';

const respondWith = (status: number, statusText = '') => ({ status, statusText });

describe('describeError', () => {
  it.each([
    [
      404,
      '/api/gamedata/move/no/',
      'Not found.',
      'Not found',
      'There is nothing at this URL.',
    ],
    [
      400,
      '/api/gamedata/move/',
      'Reason.',
      'This page does not exist on this host',
      'Reason.',
    ],
    [
      404,
      '/api/gamedata/move/?limit=5',
      'Reason.',
      'This page does not exist on this host',
      'Reason.',
    ],
    [
      503,
      '/api/gamedata/',
      undefined,
      'Request rejected',
      'The response was HTTP 503.',
    ],
  ])(
    'describes the error status %i of %s',
    (status, address, detail, title, reason) => {
      expect(describeError(respondWith(status), detail, address)).toEqual({
        title,
        reason,
      });
    },
  );
});

describe('describeUnreadable', () => {
  it('names the status and media type of a response that is not JSON', () => {
    expect(describeUnreadable(respondWith(200, 'OK'), 'text/html')).toEqual({
      title: 'Not an API response',
      reason: 'Got HTTP 200 OK with text/html, expected JSON.',
    });
  });

  it("describes a host's own 404 response as not found", () => {
    const { title, reason } = describeUnreadable(respondWith(404), null);
    expect(title).toBe('Not found');
    expect(reason).toBe('Got HTTP 404 with nothing, expected JSON.');
  });
});

describe('suggestWays', () => {
  const readWays = (address: string): string[] =>
    suggestWays(address).map((way) => way.text);

  it('suggests all lists if the kind is unknown', () => {
    const ways = suggestWays('/api/gamedata/moves/');
    const lists = kindNames.map((kind) => `${listPath(kind)}?format=api`);
    expect(ways.map(({ address }) => address)).toEqual([...lists, '/api/gamedata/']);
  });

  it('suggests the first page of a list if a record does not exist', () => {
    expect(readWays('/api/gamedata/item/no/')).toEqual([
      'The first page of items',
      'All kinds',
    ]);
  });

  it.each([
    ['230', '200'],
    ['+230', '200'],
    ['123456789012345678901', '123456789012345678900'],
  ])('suggests the built page that contains offset %s', (offset, built) => {
    const query = new URLSearchParams({ offset });
    const [page] = suggestWays(`/api/gamedata/item/?${query}`);
    expect(page).toEqual({
      address: `/api/gamedata/item/?format=api&limit=100&offset=${built}`,
      text: `The page of 100 records at offset ${built}`,
    });
  });
});
