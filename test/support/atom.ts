/** An independent judge of Atom feeds: libxml2, with the rules of RFC 4287. */

import { readFileSync } from 'node:fs';
import { validateXML } from 'xmllint-wasm';

const RULES = readFileSync(new URL('./atom.rng', import.meta.url), 'utf8');

/** What is wrong with a feed, in sentences; empty if it is valid. */
export async function feedProblems(xml: string): Promise<string[]> {
  const { errors } = await validateXML({
    xml: { fileName: 'changes.atom', contents: xml },
    schema: { fileName: 'atom.rng', contents: RULES },
    extension: 'relaxng',
  });
  const ids = [...xml.matchAll(/<id>(.*?)<\/id>/g)].map(([, id]) => id);
  return [
    ...errors.map(({ rawMessage }) => rawMessage),
    ...(new Set(ids).size < ids.length ? ['an id occurs twice'] : []),
  ];
}
