/**
 * The feature that a host needs to keep a guarantee: serving files, matching paths and
 * queries, matching methods and headers, or running code.
 */
export type Needs = 'files' | 'rules' | 'requests' | 'code';

export interface Guarantee {
  readonly needs: Needs;
  readonly title: string;
}

/** The guarantees, grouped by the features that a host needs to keep them. */
const table = {
  root: { needs: 'files', title: 'the API root lists the kinds' },
  lists: {
    needs: 'files',
    title:
      'following next from the first page returns every record once, in order, with correct links',
  },
  records: {
    needs: 'files',
    title: 'every record is the same object at its own URL and in its list',
  },
  icons: {
    needs: 'files',
    title: 'icons are images, or redirect to images elsewhere',
  },
  names: { needs: 'files', title: 'the names in every language are served' },
  'media-type': { needs: 'files', title: 'JSON is served as application/json' },
  head: { needs: 'files', title: 'HEAD responds like GET, without a body' },

  etag: {
    needs: 'rules',
    title:
      'responses carry an ETag; conditional requests get 304 with the same Vary and Cache-Control',
  },
  cors: {
    needs: 'rules',
    title: 'scripts on any origin can read responses, including errors (CORS)',
  },
  exposed: {
    needs: 'rules',
    title:
      'scripts on other origins can read ETag and Allow, and isolated pages can embed every file',
  },
  security: {
    needs: 'rules',
    title:
      'X-Content-Type-Options is nosniff; pages carry a Content-Security-Policy that blocks third-party scripts',
  },
  caching: {
    needs: 'rules',
    title: "responses carry the contract's Cache-Control",
  },
  vary: { needs: 'rules', title: 'Vary includes Accept, even on errors' },
  parameters: {
    needs: 'rules',
    title: 'format, limit and offset work in any combination and order',
  },
  'no-wrong-page': {
    needs: 'rules',
    title: 'a limit or offset without a built page is honored or rejected',
  },
  unknown: {
    needs: 'rules',
    title:
      'an unknown slug or path, and an unknown format of a list, is a JSON 404; slugs are case-sensitive',
  },
  moved: {
    needs: 'rules',
    title: 'the old URL of a renamed record redirects (301) to its current URL',
  },

  'unknown-record-format': {
    needs: 'requests',
    title: 'an unknown format of a record is a JSON 404',
  },
  allow: { needs: 'requests', title: 'Allow is set, even on errors' },
  slash: {
    needs: 'requests',
    title: 'a missing trailing slash redirects (301) and keeps the query',
  },
  options: {
    needs: 'requests',
    title: 'OPTIONS lists the allowed methods, and CORS preflights succeed',
  },
  'fresh-errors': { needs: 'requests', title: 'errors are not cached (no-cache)' },
  compression: {
    needs: 'requests',
    title:
      'responses of 1 KB and more are compressed on request; ETag and 304 keep working',
  },
  method: {
    needs: 'requests',
    title: 'any method other than GET, HEAD and OPTIONS is a JSON 405',
  },
  browser: {
    needs: 'requests',
    title: 'browsers get pages, even for errors; programs get JSON',
  },

  'page-ranges': {
    needs: 'code',
    title: 'any limit and offset work, as in the reference framework',
  },
} as const satisfies Readonly<Record<string, Guarantee>>;

export type GuaranteeName = keyof typeof table;
export const guarantees: Readonly<Record<GuaranteeName, Guarantee>> = table;
export const guaranteeNames = Object.keys(table) as readonly GuaranteeName[];
