/**
 * Maps each writing system that users cannot replace with Latin letters to the
 * languages whose names use it.
 */
const languagesByScript: readonly (readonly [RegExp, readonly string[]])[] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, ['ja-hrkt', 'ja']],
  [/\p{Script=Hangul}/u, ['ko']],
  [/\p{Script=Han}/u, ['ja', 'zh-hans', 'zh-hant']],
];

/**
 * Lists the languages whose names a query may contain. Usually, this is the selected
 * language. But a query in Hangul can only be a Korean name, for example, so a query in
 * such a script selects the script's languages.
 *
 * @param selected the selected language; an empty string means English
 * @param known the languages of the site
 */
export function listQueryLanguages(
  query: string,
  selected: string,
  known: readonly string[],
): readonly string[] {
  for (const [script, languages] of languagesByScript) {
    if (!script.test(query)) continue;
    if (languages.includes(selected)) return [selected];
    return languages.filter((language) => known.includes(language));
  }
  return selected === '' ? [] : [selected];
}
