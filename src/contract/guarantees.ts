/** A host keeps a guarantee if it serves files, applies rules to paths and queries, sees methods and headers, or runs code. */
export type Needs = 'files' | 'rules' | 'requests' | 'code';

/** Every host keeps the guarantees of `static`. Only hosts that run code keep `full`, the whole contract. */
export const levels = ['static', 'full'] as const;
export type Level = (typeof levels)[number];

/** In the order in which they are checked. */
export const guarantees = {
  root: { needs: 'files', title: 'the API root lists the kinds' },
  lists: {
    needs: 'files',
    title: 'following next from the first page returns every record once, in order, with correct links',
  },
  records: { needs: 'files', title: 'every record is the same object at its own URL and in its list' },
  icons: { needs: 'files', title: 'the placeholder icon is an image' },
  names: { needs: 'files', title: 'the names in every language match the description of the site' },
  'media-type': { needs: 'files', title: 'JSON is served as application/json' },
  head: { needs: 'files', title: 'HEAD is GET without a body' },
  etag: { needs: 'rules', title: 'responses carry an ETag; conditional requests get 304' },
  'not-modified': {
    needs: 'rules',
    title: '304 has the ETag, Vary and Cache-Control of 200, compressed or not',
  },
  cors: { needs: 'rules', title: 'CORS is open, for errors too' },
  exposed: {
    needs: 'rules',
    title: 'scripts on other origins can read ETag and Allow, and isolated pages can embed every file',
  },
  nosniff: { needs: 'rules', title: 'X-Content-Type-Options is nosniff' },
  'page-policy': {
    needs: 'rules',
    title: 'pages carry a Content-Security-Policy that blocks third-party scripts',
  },
  caching: { needs: 'rules', title: 'Cache-Control of the API is as in the contract' },
  freshness: { needs: 'rules', title: 'other files are revalidated on every use (must-revalidate)' },
  vary: { needs: 'rules', title: 'Vary includes Accept, for errors too' },
  parameters: { needs: 'rules', title: 'format, limit and offset work in any combination and order' },
  'no-wrong-page': { needs: 'rules', title: 'a limit or offset without a built page is honored or rejected' },
  'unknown-slug': { needs: 'rules', title: 'an unknown slug is a JSON 404; slugs are case-sensitive' },
  'unknown-path': { needs: 'rules', title: 'an unknown path under the prefix is a JSON 404' },
  'unknown-format': { needs: 'rules', title: 'an unknown format of a list is a 404' },
  moved: { needs: 'rules', title: 'the old URL of a renamed record redirects (301) to its current one' },
  'unknown-record-format': { needs: 'requests', title: 'an unknown format of a record is a 404' },
  'encoded-names': { needs: 'requests', title: 'a percent-encoded parameter name is decoded or rejected' },
  allow: { needs: 'requests', title: 'Allow is set, for errors too' },
  slash: { needs: 'requests', title: 'a missing trailing slash redirects (301) and keeps the query' },
  options: { needs: 'requests', title: 'OPTIONS lists the allowed methods, and CORS preflights succeed' },
  'fresh-errors': { needs: 'requests', title: 'errors are not cached (no-cache)' },
  'any-path': { needs: 'requests', title: 'malformed paths under the prefix get a JSON error' },
  compression: {
    needs: 'requests',
    title: 'files of 1 KB and more are compressed on request; ETag and 304 keep working',
  },
  method: { needs: 'requests', title: 'any other method is a JSON 405' },
  browser: { needs: 'requests', title: 'browsers get pages, for errors too; programs get JSON' },
  windows: { needs: 'code', title: 'any limit and offset work, as in the reference framework' },
  repeated: { needs: 'code', title: 'the last of repeated parameters wins' },
} as const satisfies Record<string, { needs: Needs; title: string }>;

export type GuaranteeName = keyof typeof guarantees;
export const guaranteeNames = Object.keys(guarantees) as readonly GuaranteeName[];
