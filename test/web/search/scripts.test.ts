import { expect, it } from 'vitest';
import { listQueryLanguages } from '../../../src/web/search/scripts.ts';

const known = ['', 'fr', 'it', 'ja', 'ko', 'zh-hans'];

it.each([
  ['punch', '', ['', 'fr', 'it']],
  ['poing', 'it', ['it', 'fr']],
  ['poing', 'ja', ['ja', 'fr', 'it']],
  ['42', 'fr', ['fr']],
  [' ', '', ['']],
  ['ぱんち', '', ['ja']],
  ['パンチ', 'fr', ['ja']],
  ['펀치', '', ['ko']],
  ['拳', '', ['ja', 'zh-hans']],
  ['拳', 'zh-hans', ['zh-hans']],
])(
  'searches for %s, with the selected language %j, in names in %j',
  (query, selected, languages) => {
    expect(listQueryLanguages(query, selected, known)).toEqual(languages);
  },
);
