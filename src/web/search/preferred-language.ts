/** Returns the first of the browser's languages that has names; empty for English, the language of records. */
export function findPreferredLanguage(tags: readonly string[], known: readonly string[]): string {
  for (const tag of tags) {
    const locale = parseLocale(tag);
    if (!locale) continue;
    // Chinese is distinguished by its script.
    const { language, script } = locale.maximize();
    const names = [tag, language, `${language}-${script}`].map((name) => name.toLowerCase());
    const found = names.find((name) => known.includes(name));
    if (found !== undefined || language === 'en') return found ?? '';
  }
  return '';
}

/** Some browsers report system locales, such as `C` or `en_US`. */
function parseLocale(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag);
  } catch {
    return undefined;
  }
}
