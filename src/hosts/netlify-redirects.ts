/**
 * Creates the rules in Netlify's `_redirects` file:
 * https://docs.netlify.com/manage/routing/redirects/overview/
 */

import { kindNames } from '../contract/kinds.ts';
import { PAGE_SIZE, pageOffsets } from '../contract/page-range.ts';
import * as paths from '../contract/paths.ts';
import { errorFiles, formats } from '../contract/responses.ts';
import type { HostContext } from './host.ts';

/**
 * Creates a site's rules. The caller puts the base path in front of each rule.
 *
 * The first matching rule applies, but only if there is no file at the requested
 * path. The pages of the root and the lists come first, followed by all records, all
 * old URLs, and the 404 response for everything else below the API. The rules for
 * icons and the base path come last, because they match any path.
 */
export function createRules({
  baseUrl,
  records,
  redirects,
  iconRedirect,
}: HostContext): string[] {
  const base = paths.getBasePath(baseUrl);
  const root = [{ offset: 0, file: paths.rootFile }];
  const rules = createPageRules(paths.API_PREFIX, root, ['format']);
  for (const kind of kindNames) {
    const offsets = pageOffsets(records[kind].length);
    const pages = offsets.map((offset) => ({
      offset,
      file: paths.listPageFile(kind, offset),
    }));
    rules.push(
      ...createPageRules(paths.listPath(kind), pages, ['format', 'limit', 'offset']),
    );
  }
  // Every slug has its own rule. A rewrite with a wildcard could point to a missing
  // file, for which Netlify would send its own text page.
  for (const kind of kindNames) {
    for (const { slug } of records[kind]) {
      rules.push(
        `${paths.recordPath(kind, slug)} /${paths.recordFile(kind, slug)} 200`,
      );
    }
  }
  // Netlify keeps the query in a redirect:
  //   https://docs.netlify.com/manage/routing/redirects/redirect-options/#query-parameters
  for (const { path, to } of redirects) rules.push(`${path} ${base}${to} 301`);
  rules.push(`${paths.API_PREFIX}* /${errorFiles[404]} 404`);
  // The placeholder icon has a rule, because other hosts that read this file may apply
  // rules even if a file exists.
  rules.push(`/${paths.PLACEHOLDER_ICON} /${paths.PLACEHOLDER_ICON} 200`);
  // `:splat` is what the asterisk matches.
  if (iconRedirect !== null) {
    rules.push(`${paths.ICONS_PATH}* ${iconRedirect}:splat 302`);
  }
  // The files are at the top of the site, even if its URLs have a base path.
  if (base !== '') rules.push('/* /:splat 200');
  return rules;
}

type Parameter = 'format' | 'limit' | 'offset';

interface BuiltPage {
  readonly offset: number;
  readonly file: string;
}

/**
 * Creates the rules for a list, or for the root. For each combination of query
 * parameters, there are rules for the built pages, and then one rule that rejects all
 * other values.
 *
 * Larger combinations come first, because in Netlify's engine, a rule also matches a
 * query that has more parameters than the rule. Netlify's documentation, however, says
 * that the parameters must be the same. With rules for each combination, it does not
 * matter which is true.
 *
 * @see https://docs.netlify.com/routing/redirects/redirect-options/#query-parameters
 */
function createPageRules(
  path: string,
  pages: readonly BuiltPage[],
  parameters: readonly Parameter[],
): string[] {
  const rules: string[] = [];
  for (const subset of listSubsets(parameters)) {
    rules.push(...createBuiltPageRules(path, pages, subset));
    // A request without any parameter gets the first page, and is never rejected.
    if (subset.length > 0) rules.push(createRejectingRule(path, subset));
  }
  return rules;
}

/**
 * Creates the rules that serve built pages: one for each format and each page that a
 * query with these parameters can select.
 */
function createBuiltPageRules(
  path: string,
  pages: readonly BuiltPage[],
  parameters: readonly Parameter[],
): string[] {
  const rules: string[] = [];
  // Without an offset, a query selects the first page.
  const selectablePages = parameters.includes('offset') ? pages : pages.slice(0, 1);
  // If `format` is not one of the parameters, one rule without a format is enough.
  const selectableFormats = parameters.includes('format') ? formats : [undefined];
  for (const format of selectableFormats) {
    for (const { offset, file } of selectablePages) {
      const values = { format, limit: PAGE_SIZE, offset };
      const query = parameters.map((name) => `${name}=${values[name]}`);
      rules.push(formatRule(path, query, `/${file} 200`));
    }
  }
  return rules;
}

/**
 * Creates the rule that rejects queries with these parameters, whatever their values.
 * Netlify reads `offset=:offset` as a parameter with any value.
 */
function createRejectingRule(
  path: string,
  parameters: readonly Parameter[],
): string {
  const anyValues = parameters.map((name) => `${name}=:${name}`);
  // `400.json` explains page ranges, so we use it only if the query has a limit or
  // an offset.
  const isRange = parameters.some((name) => name !== 'format');
  const errorFile = isRange ? errorFiles[400] : errorFiles[404];
  return formatRule(path, anyValues, `/${errorFile} 404`);
}

/** Lists all subsets of the parameters, with the largest first. */
function listSubsets(parameters: readonly Parameter[]): Parameter[][] {
  let subsets: Parameter[][] = [[]];
  for (const parameter of parameters) {
    const withParameter = subsets.map((subset) => [...subset, parameter]);
    subsets = [...subsets, ...withParameter];
  }
  return subsets.sort((one, other) => other.length - one.length);
}

const formatRule = (
  path: string,
  query: readonly string[],
  target: string,
): string => [path, ...query, target].join(' ');
