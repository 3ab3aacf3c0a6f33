/**
 * The levels of the contract. Every host keeps the `static` guarantees, but only
 * hosts that run code keep the whole contract (`full`).
 */
export const levels = ['static', 'full'] as const;
export type Level = (typeof levels)[number];

/**
 * The guarantees, grouped by the capability that a host needs: serving files,
 * matching paths and queries, matching methods and headers, or running code.
 */
const titles = {
  files: {
    root: 'the API root lists the kinds',
    lists:
      'following next from the first page returns every record once, in order, with correct links',
    records: 'every record is the same object at its own URL and in its list',
    icons: 'the placeholder icon is an image',
    names: 'the names in every language match meta.json',
    'media-type': 'JSON is served as application/json',
    head: 'HEAD responds like GET, without a body',
  },
  rules: {
    etag: 'responses carry an ETag; conditional requests get 304',
    'not-modified':
      '304 repeats the ETag, Vary and Cache-Control of the 200 response, compressed or not',
    cors: 'scripts on any origin can read responses, including errors (CORS)',
    exposed:
      'scripts on other origins can read ETag and Allow, and isolated pages can embed every file',
    nosniff: 'X-Content-Type-Options is nosniff',
    'page-policy':
      'pages carry a Content-Security-Policy that blocks third-party scripts',
    caching: "API responses carry the contract's Cache-Control",
    freshness: 'other files are revalidated on every use (must-revalidate)',
    vary: 'Vary includes Accept, even on errors',
    parameters: 'format, limit and offset work in any combination and order',
    'no-wrong-page': 'a limit or offset without a built page is honored or rejected',
    'unknown-slug': 'an unknown slug is a JSON 404; slugs are case-sensitive',
    'unknown-path': 'an unknown path under the prefix is a JSON 404',
    'unknown-format': 'an unknown format for a list is a 404',
    moved: 'the old URL of a renamed record redirects (301) to its current URL',
  },
  requests: {
    'unknown-record-format': 'an unknown format for a record is a 404',
    'encoded-names': 'a percent-encoded parameter name is decoded or rejected',
    allow: 'Allow is set, even on errors',
    slash: 'a missing trailing slash redirects (301) and keeps the query',
    options: 'OPTIONS lists the allowed methods, and CORS preflights succeed',
    'fresh-errors': 'errors are not cached (no-cache)',
    'any-path': 'malformed paths under the prefix get a JSON error',
    compression:
      'files of 1 KB and more are compressed on request; ETag and 304 keep working',
    method: 'any method other than GET, HEAD and OPTIONS is a JSON 405',
    browser: 'browsers get pages, even for errors; programs get JSON',
  },
  code: {
    windows: 'any limit and offset work, as in the reference framework',
    repeated: 'the last value of a repeated parameter wins',
  },
} as const;

export type Needs = keyof typeof titles;
export type GuaranteeName = { [N in Needs]: keyof (typeof titles)[N] }[Needs];

export interface Guarantee {
  /** The capability that the host needs. */
  readonly needs: Needs;
  readonly title: string;
}

export const guarantees = listGuarantees();

function listGuarantees(): Readonly<Record<GuaranteeName, Guarantee>> {
  const all: Partial<Record<GuaranteeName, Guarantee>> = {};
  for (const needs of Object.keys(titles) as Needs[]) {
    for (const [name, title] of Object.entries(titles[needs])) {
      all[name as GuaranteeName] = { needs, title };
    }
  }
  return all as Record<GuaranteeName, Guarantee>;
}

export const guaranteeNames = Object.keys(guarantees) as readonly GuaranteeName[];
