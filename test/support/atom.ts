import { readFileSync } from 'node:fs';
import { validateXML } from 'xmllint-wasm';

const RULES = readFileSync(new URL('./atom.rng', import.meta.url), 'utf8');

/** Validates a feed with libxml2 and the rules of RFC 4287. */
export async function feedProblems(xml: string): Promise<string[]> {
  const { errors } = await validateXML({
    xml: { fileName: 'changes.atom', contents: xml },
    schema: { fileName: 'atom.rng', contents: RULES },
    extension: 'relaxng',
  });
  const ids = Array.from(xml.matchAll(/<id>(.*?)<\/id>/g), ([, id]) => id);
  const repeated = new Set(ids).size < ids.length ? ['an id occurs twice'] : [];
  return [...errors.map(({ rawMessage }) => rawMessage), ...repeated];
}
