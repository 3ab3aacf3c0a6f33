import { describe, expect, it } from 'vitest';
import { rulesSuffice } from '../../../src/serve/handler/index.ts';

const asks = (path: string, init?: RequestInit): boolean =>
  rulesSuffice(new Request(`https://host.test${path}`, init));
const accepting = (accept: string): RequestInit => ({ headers: { Accept: accept } });

const LIST = '/api/gamedata/move/';
const RECORD = '/api/gamedata/move/pound/';

describe('rules answer right', () => {
  it.each([
    ['/api/gamedata/', {}],
    ['/api/gamedata/?format=api', {}],
    [LIST, {}],
    [`${LIST}?format=api`, {}],
    [`${LIST}?format=api`, { method: 'HEAD' }],
    [`${LIST}?limit=100`, {}],
    [`${LIST}?offset=0`, {}],
    [`${LIST}?offset=100&format=api`, {}],
    [`${LIST}?offset=1200&limit=100&format=api`, accepting('*/*')],
    [RECORD, {}],
    [`${RECORD}?format=api`, accepting('application/json')],
    [`${RECORD}?format=json`, accepting('text/html')],
    [LIST, accepting('application/json; indent=4')],
  ])('GET %s %j', (path, init) => {
    expect(asks(path, init)).toBe(true);
  });
});

describe('code has to answer', () => {
  it.each([
    [LIST, { method: 'POST' }],
    [LIST, { method: 'OPTIONS' }],
    [LIST, accepting('text/html')],
    [`${LIST}?format=api`, accepting('text/html,*/*;q=0.8')],
    [LIST, accepting('image/png')],
    // Its links keep the format.
    [`${LIST}?format=json`, {}],
    [`${LIST}?format=xml`, {}],
    [`${LIST}?format=`, {}],
    [`${LIST}?limit=20`, {}],
    [`${LIST}?offset=50`, {}],
    [`${LIST}?offset=0100`, {}],
    [`${LIST}?limit=100&limit=100`, {}],
    [`${LIST}?utm=1`, {}],
    [`${LIST}?o%66fset=100`, {}],
    [`${RECORD}?format=xml`, {}],
    [`${RECORD}?limit=100`, {}],
    ['/api/gamedata/move', {}],
    ['/api/gamedata/move/pound', {}],
    ['/api/gamedata/move/p%6Fund/', {}],
    ['//api/gamedata/move/', {}],
    ['/api/gamedata/berry/', {}],
    ['/api/gamedata/move/index.json', {}],
    ['/meta.json', {}],
  ])('%s %j', (path, init) => {
    expect(asks(path, init)).toBe(false);
  });
});
