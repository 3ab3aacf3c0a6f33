/**
 * Returns the first of the browser's languages in which the site has names. Returns
 * an empty string for English, because records have English names.
 *
 * @param tags the browser's languages, with the preferred one first
 * @param known the languages of the site, in lower case
 */
export function findPreferredLanguage(
  tags: readonly string[],
  known: readonly string[],
): string {
  for (const tag of tags) {
    let locale: Intl.Locale;
    try {
      // `maximize` adds the script, which tells traditional from simplified Chinese.
      locale = new Intl.Locale(tag).maximize();
    } catch {
      // Some browsers report system locales, such as `C` or `en_US`, which are not
      // valid language tags.
      continue;
    }
    const { language, script, region } = locale;
    const candidates = [tag, language, `${language}-${script}`];
    // Spanish outside Spain is closer to Latin American Spanish:
    // https://www.unicode.org/reports/tr35/#Parent_Locales
    const isLatinAmerican = language === 'es' && region !== 'ES';
    if (isLatinAmerican) candidates.unshift('es-419');
    for (const candidate of candidates) {
      const name = candidate.toLowerCase();
      if (known.includes(name)) return name;
    }
    // The user prefers English to the remaining languages, so we stop here.
    if (language === 'en') return '';
  }
  return '';
}
