/**
 * Returns the first of the browser's languages that has names; empty for English, the language of
 * records.
 */
export function findPreferredLanguage(tags: readonly string[], known: readonly string[]): string {
  for (const tag of tags) {
    let locale: Intl.Locale;
    try {
      // Chinese is distinguished by its script.
      locale = new Intl.Locale(tag).maximize();
    } catch {
      // Some browsers report system locales, such as `C` or `en_US`.
      continue;
    }
    const { language, script } = locale;
    const names = [tag, language, `${language}-${script}`].map((name) => name.toLowerCase());
    const found = names.find((name) => known.includes(name));
    if (found !== undefined || language === 'en') return found ?? '';
  }
  return '';
}
