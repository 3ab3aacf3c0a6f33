/** Checks the names in every language, of a folder or of a deployment. */

import { type Names, type NamesSummary, namesSchema } from '../contract/names.ts';
import { parseJson } from '../contract/parse.ts';
import { META_FILE, namesFile } from '../contract/paths.ts';
import { bodyOf } from '../contract/site-file.ts';
import { summarizeNames } from '../dataset/digest.ts';
import { selectNames } from '../dataset/names.ts';
import { namesFiles } from '../site/downloads.ts';

/** The files have to be those that a build makes of the names that they hold, as `meta.json` describes them. Returns these names. */
export function checkNames(
  records: Parameters<typeof selectNames>[1],
  { names: summary, base_url: baseUrl }: { names?: NamesSummary | undefined; base_url: string },
  site: { textOf(file: string): string | undefined; report(file: string, problem: string): void },
): Names[] {
  const found = Object.keys(summary?.languages ?? {}).flatMap(
    (language) => namesSchema.safeParse(parseJson(site.textOf(namesFile(language)) ?? '')).data ?? [],
  );
  const names = selectNames(found, records);
  for (const file of namesFiles(names, baseUrl)) {
    const text = new TextDecoder().decode(bodyOf(file));
    if (site.textOf(file.path) !== text) site.report(file.path, 'does not match the names of the records');
  }
  if (JSON.stringify(summarizeNames(names)) !== JSON.stringify(summary))
    site.report(META_FILE, 'describes other names than there are');
  return names;
}
