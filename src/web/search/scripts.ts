/**
 * Maps each writing system that users cannot replace with Latin letters to the
 * languages whose names use it.
 */
const languagesByScript: readonly (readonly [RegExp, readonly string[]])[] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, ['ja-hrkt', 'ja']],
  [/\p{Script=Hangul}/u, ['ko']],
  [/\p{Script=Han}/u, ['ja', 'zh-hans', 'zh-hant']],
];

const languagesWithOwnScript = languagesByScript.flatMap(
  ([, languages]) => languages,
);

/**
 * Lists the languages in whose names a query should be searched, in this order. Usually,
 * the selected language comes first, and then all others in Latin letters, because users
 * may not know which language a name is in. But a query in Hangul, for example, can only
 * be a Korean name.
 *
 * @param selected the selected language; an empty string means English
 * @param known the languages of the site
 */
export function listQueryLanguages(
  query: string,
  selected: string,
  known: readonly string[],
): string[] {
  for (const [script, scriptLanguages] of languagesByScript) {
    if (!script.test(query)) continue;
    if (scriptLanguages.includes(selected)) return [selected];
    return scriptLanguages.filter((language) => known.includes(language));
  }
  // Without a letter, such as in an id, the query cannot be a name.
  const hasLetter = /\p{Letter}/u.test(query);
  if (!hasLetter) return [selected];
  const otherLanguages: string[] = [];
  for (const language of known) {
    // The English names are searched together with those in any other language.
    const isSearched = language === '' || language === selected;
    const hasOwnScript = languagesWithOwnScript.includes(language);
    if (!isSearched && !hasOwnScript) otherLanguages.push(language);
  }
  return [selected, ...otherLanguages];
}
