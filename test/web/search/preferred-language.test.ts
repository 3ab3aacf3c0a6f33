import { expect, it } from 'vitest';
import { findPreferredLanguage } from '../../../src/web/search/preferred-language.ts';

it.each([
  [['fr-CA', 'ja'], 'fr'],
  [['zh-TW'], 'zh-hant'],
  [['zh-CN'], 'zh-hans'],
  [['es-419'], 'es-419'],
  [['es-MX'], 'es-419'],
  [['es-ES'], 'es'],
  [['es'], 'es'],
  [['fi-FI', 'fr'], 'fr'],
  [['en-GB', 'fr'], ''],
  [['C', 'en-US@posix', 'en_US', '*', '', 'fr'], 'fr'],
  [['fi-FI', 'C'], ''],
  [[], ''],
])('chooses a language for a browser that prefers %j', (tags, language) => {
  const known = ['', 'es', 'es-419', 'fr', 'ja', 'zh-hans', 'zh-hant'];
  expect(findPreferredLanguage(tags, known)).toBe(language);
});
