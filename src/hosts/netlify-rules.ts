/** The rules of `_redirects`: https://docs.netlify.com/manage/routing/redirects/overview/ */

import { kindNames } from '../contract/kinds.ts';
import { PAGE_SIZE, pageOffsets } from '../contract/page-range.ts';
import * as paths from '../contract/paths.ts';
import { errorFiles, formats } from '../contract/responses.ts';
import type { HostContext } from './host.ts';

/**
 * Creates the rules of a site, without the path of its base URL in front of them. The first rule
 * that matches applies, and rules apply only to paths without a file. First come the pages of the
 * root and the lists, then every record and every old URL, and then the 404 for everything else
 * below the API. Icons and a base path come last, because they match anything.
 */
export function createRules({ baseUrl, records, redirects, iconRedirect }: HostContext): string[] {
  const base = paths.getBasePath(baseUrl);
  const root = [{ offset: 0, file: paths.rootFile }];
  const rules = createPageRules(paths.API_PREFIX, root, ['format']);
  for (const kind of kindNames) {
    const offsets = pageOffsets(records[kind].length);
    const pages = offsets.map((offset) => ({ offset, file: paths.listPageFile(kind, offset) }));
    rules.push(...createPageRules(paths.listPath(kind), pages, ['format', 'limit', 'offset']));
  }
  // A rewrite to a missing file would be Netlify's own text page, so every slug has a rule.
  for (const kind of kindNames) {
    for (const { slug } of records[kind])
      rules.push(`${paths.recordPath(kind, slug)} /${paths.recordFile(kind, slug)} 200`);
  }
  // Netlify keeps the query:
  // https://docs.netlify.com/manage/routing/redirects/redirect-options/#query-parameters
  for (const { path, to } of redirects) rules.push(`${path} ${base}${to} 301`);
  rules.push(`${paths.API_PREFIX}* /${errorFiles[404]} 404`);
  // Other hosts that read this file may apply rules before existing files.
  rules.push(`/${paths.PLACEHOLDER_ICON} /${paths.PLACEHOLDER_ICON} 200`);
  if (iconRedirect !== null) rules.push(`${paths.ICONS_PATH}* ${iconRedirect}:splat 302`);
  if (base !== '') rules.push('/* /:splat 200');
  return rules;
}

type Parameter = 'format' | 'limit' | 'offset';

interface BuiltPage {
  readonly offset: number;
  readonly file: string;
}

/**
 * Creates the rules of a list or the root for each combination of parameters, largest first. Rules
 * with the values of built pages come before the rule that rejects all other values.
 *
 * A rule's parameters match as a subset in Netlify's engine, and as an exact set according to its
 * documentation (https://docs.netlify.com/routing/redirects/redirect-options/#query-parameters).
 * With a rule for each subset of the parameters, the responses are the same either way.
 */
function createPageRules(
  path: string,
  pages: readonly BuiltPage[],
  parameters: readonly Parameter[],
): string[] {
  const rules: string[] = [];
  for (const subset of listSubsets(parameters)) {
    const selectablePages = subset.includes('offset') ? pages : pages.slice(0, 1);
    for (const format of subset.includes('format') ? formats : ['']) {
      for (const { offset, file } of selectablePages) {
        const values = { format, limit: PAGE_SIZE, offset };
        const query = subset.map((name) => `${name}=${values[name]}`);
        rules.push(formatRule(path, query, `/${file} 200`));
      }
    }
    if (subset.length === 0) continue;
    const anyValues = subset.map((name) => `${name}=:${name}`);
    // 400.json explains page ranges, so it does not fit if only the format is wrong.
    const isRange = subset.some((name) => name !== 'format');
    rules.push(formatRule(path, anyValues, `/${errorFiles[isRange ? 400 : 404]} 404`));
  }
  return rules;
}

/** Lists the subsets of the parameters, largest first. */
function listSubsets(parameters: readonly Parameter[]): Parameter[][] {
  const subsets: Parameter[][] = [];
  for (let bits = 0; bits < 2 ** parameters.length; bits++)
    subsets.push(parameters.filter((_, place) => bits & (1 << place)));
  return subsets.sort((one, other) => other.length - one.length);
}

const formatRule = (path: string, query: readonly string[], target: string): string =>
  [path, ...query, target].join(' ');
