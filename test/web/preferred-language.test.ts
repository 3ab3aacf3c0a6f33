import { expect, it } from 'vitest';
import { findPreferredLanguage } from '../../src/web/search/preferred-language.ts';

const known = ['', 'es-419', 'fr', 'ja', 'zh-hans', 'zh-hant'];

it.each([
  [['fr-CA', 'ja'], 'fr'],
  [['ja-JP'], 'ja'],
  [['zh-TW'], 'zh-hant'],
  [['zh-CN'], 'zh-hans'],
  [['es-419'], 'es-419'],
  [['fi-FI', 'fr'], 'fr'],
  [['en-GB', 'fr'], ''],
  [['fi-FI'], ''],
  [['C', 'en-US@posix', 'en_US', '*', '', 'fr'], 'fr'],
  [['C'], ''],
  [[], ''],
])('chooses a language for a browser that prefers %j', (tags, language) => {
  expect(findPreferredLanguage(tags, known)).toBe(language);
});
