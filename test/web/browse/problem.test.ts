import { describe, expect, it } from 'vitest';
import { kindNames } from '../../../src/contract/kinds.ts';
import { listPath } from '../../../src/contract/paths.ts';
import {
  describeError,
  describeUnreadable,
  suggestWays,
} from '../../../src/web/browse/problem.ts';

function respondWith(status: number, statusText = '') {
  return { status, statusText };
}

describe('describeError', () => {
  it('explains that a URL leads to no record', () => {
    const address = '/api/gamedata/move/no/';
    const problem = describeError(respondWith(404), 'Not found.', address);
    expect(problem).toEqual({
      title: 'Not found',
      reason: 'There is nothing at this URL.',
    });
  });

  it('names an unknown format and the formats that exist', () => {
    const address = '/api/gamedata/move/?format=xml';
    const { reason } = describeError(respondWith(404), 'Not found.', address);
    expect(reason).toBe('The format “xml” does not exist. Use api or json.');
  });

  it.each([
    [400, '/api/gamedata/move/'],
    [404, '/api/gamedata/move/?limit=5'],
  ])(
    "shows the host's reason if a list page responds with the status %i: %s",
    (status, address) => {
      const problem = describeError(respondWith(status), 'Reason.', address);
      expect(problem).toEqual({
        title: 'This page does not exist on this host',
        reason: 'Reason.',
      });
    },
  );

  it('shows the status of an error response without details', () => {
    const problem = describeError(respondWith(503), undefined, '/api/gamedata/');
    expect(problem).toEqual({
      title: 'Request rejected',
      reason: 'The response was HTTP 503.',
    });
  });
});

describe('describeUnreadable', () => {
  it('names the status and media type of a response that is not JSON', () => {
    const problem = describeUnreadable(respondWith(200, 'OK'), 'text/html');
    expect(problem).toEqual({
      title: 'Not an API response',
      reason: 'Got HTTP 200 OK with text/html, expected JSON.',
    });
  });

  it("describes a host's own 404 response as not found", () => {
    const problem = describeUnreadable(respondWith(404), null);
    expect(problem).toEqual({
      title: 'Not found',
      reason: 'Got HTTP 404 with nothing, expected JSON.',
    });
  });
});

describe('suggestWays', () => {
  it('suggests all lists if the kind is unknown', () => {
    const suggestions = suggestWays('/api/gamedata/moves/');
    const addresses = suggestions.map(({ address }) => address);
    const lists = kindNames.map((kind) => `${listPath(kind)}?format=api`);
    expect(addresses).toEqual([...lists, '/api/gamedata/']);
  });

  it('suggests the first page of a list if a record does not exist', () => {
    const suggestions = suggestWays('/api/gamedata/item/no/');
    const texts = suggestions.map(({ text }) => text);
    expect(texts).toEqual(['The first page of items', 'All kinds']);
  });

  it.each([
    ['230', '200'],
    ['+230', '200'],
  ])(
    'suggests the existing list page that contains the offset %s',
    (offset, pageOffset) => {
      const query = new URLSearchParams({ offset });
      const [page] = suggestWays(`/api/gamedata/item/?${query}`);
      expect(page).toEqual({
        address: `/api/gamedata/item/?format=api&limit=100&offset=${pageOffset}`,
        text: `The page of 100 records at offset ${pageOffset}`,
      });
    },
  );
});
