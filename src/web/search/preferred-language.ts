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
    for (const candidate of [tag, language, `${language}-${script}`]) {
      const name = candidate.toLowerCase();
      if (known.includes(name)) return name;
    }
    // Languages that the browser lists after English are less preferred than English.
    if (language === 'en') return '';
  }
  return '';
}
