/**
 * Rules in `_redirects` and `_headers` serve the built files. An edge function responds
 * to requests that the rules cannot distinguish. The function does not run when
 * programs read records, because every call is billed.
 */

import { guaranteeNames, guarantees } from '../contract/guarantees.ts';
import { kindNames } from '../contract/kinds.ts';
import * as paths from '../contract/paths.ts';
import { createHeadersFile } from './headers-file.ts';
import {
  type BuildVariables,
  type Host,
  type HostContext,
  type HostFile,
  REDIRECTS_FILE,
} from './host.ts';
import { createRules } from './netlify-redirects.ts';
import { escapeRegExp } from './request-patterns.ts';

export const FUNCTION_FOLDER = '_edge/';

/** Netlify without functions. Its rules match neither methods nor headers. */
export const netlifyRules: Host = {
  unsupported: guaranteeNames.filter((name) =>
    ['requests', 'code'].includes(guarantees[name].needs),
  ),
  redirectsDialect: 'netlify',
  listBaseUrlVariables,
  createFiles: (context) => {
    const base = paths.getBasePath(context.baseUrl);
    const rules = createRules(context).map((rule) => `${base}${rule}\n`);
    return [
      { path: REDIRECTS_FILE, body: rules.join('') },
      createHeadersFile(context),
    ];
  },
};

export const netlify: Host = {
  ...netlifyRules,
  // These guarantees fail when programs read records, because rules cannot match the
  // format or the status, and because Netlify may drop the `Allow` header.
  unsupported: ['unknown-record-format', 'allow', 'fresh-errors', 'compression'],
  createFiles: (context) => [
    ...netlifyRules.createFiles(context),
    ...createFunctions(context),
  ],
};

/**
 * Lists the variables in which Netlify provides the base URL. We use them only on
 * Netlify, because names such as `URL` are too generic:
 * https://docs.netlify.com/configure-builds/environment-variables/
 */
function listBaseUrlVariables({
  NETLIFY,
  CONTEXT = 'production',
}: BuildVariables): string[] {
  if (NETLIFY !== 'true') return [];
  // A deploy preview has its own URL.
  return CONTEXT === 'production' ? ['URL'] : ['DEPLOY_PRIME_URL', 'URL'];
}

/**
 * Declares the requests for which Netlify calls a function. A request must meet all
 * conditions.
 */
interface Declaration {
  /** A regular expression that the path must match. */
  readonly pattern: string;
  readonly method?: readonly string[];
  /** A regular expression for the value of each header, by header name. */
  readonly header?: Readonly<Record<string, string>>;
}

/**
 * Creates the edge functions, which Netlify runs instead of applying its rules. All of
 * them run the request handler. There is one function for each type of request, because
 * a function can have only one declaration.
 *
 * @see https://docs.netlify.com/build/edge-functions/declarations/
 */
function createFunctions({ baseUrl, handlerModule }: HostContext): HostFile[] {
  const base = paths.getBasePath(baseUrl);
  // The API's path without its trailing slash, such as `/api/gamedata`.
  const api = escapeRegExp(base + paths.API_PREFIX.slice(0, -1));
  const anyKind = `(?:${kindNames.join('|')})`;
  const anyFolders = '(?:[^/]+/)*';
  // Requests for lists may have any limit and offset, and rules cannot list all of
  // them.
  const lists = { pattern: `^${api}/${anyKind}/?$` };
  // Redirect rules ignore the method, so an edge function responds to every method except
  // GET and HEAD.
  const methods = {
    pattern: `^${api}(?:/.*)?$`,
    method: ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
  };
  // Browsers get pages at all paths except those of files, which contain a dot.
  const browsers = {
    pattern: `^${api}(?:/${anyFolders}[^/.]*)?$`,
    header: { accept: 'text/html' },
  };
  // Requests for the API root or a record without the trailing slash are redirected.
  // Rules cannot do that, because they ignore trailing slashes. Requests for lists are
  // matched above.
  const slashes = { pattern: `^${api}(?:/${anyKind}/[^/.]+)?$` };
  const entry = `export default createEdgeFunction(${JSON.stringify(base)});`;
  const handler = `${handlerModule()}\n${entry}`;
  // The other functions re-export the code of the first one, `gamedata.js`.
  const reference = "export { default } from './gamedata.js';";
  return [
    createFunction('gamedata', handler, lists),
    createFunction('gamedata-methods', reference, methods),
    createFunction('gamedata-browsers', reference, browsers),
    createFunction('gamedata-slashes', reference, slashes),
  ];
}

/** Creates the file of an edge function. */
function createFunction(
  name: string,
  code: string,
  declaration: Declaration,
): HostFile {
  // If the function fails, Netlify falls back to the rules.
  const config = JSON.stringify({ ...declaration, onError: 'bypass' }, null, 2);
  return {
    path: `${FUNCTION_FOLDER}${name}.js`,
    body: `${code}\n\nexport const config = ${config};\n`,
  };
}
