/** The clauses of the contract, as `gamedata verify <url>` checks them and the table of hosts names them. */

/**
 * What a host has to be able to do for a clause: serve `files`, follow `rules` that look at the path and the query, look
 * at `requests` whole (method, headers), or run `code`.
 */
export type Needs = 'files' | 'rules' | 'requests' | 'code';

export interface Clause {
  readonly needs: Needs;
  readonly title: string;
}

/** In the order in which they are checked. */
export const clauses = {
  root: { needs: 'files', title: 'the root lists the kinds' },
  lists: {
    needs: 'files',
    title: 'following next from the first page gives every record once, in order, with right links',
  },
  records: { needs: 'files', title: 'every record is the same object at its own address' },
  icons: { needs: 'files', title: 'the placeholder is a picture' },
  'media-type': { needs: 'files', title: 'JSON is application/json' },
  head: { needs: 'files', title: 'HEAD is GET without a body' },
  etag: { needs: 'rules', title: 'a validator comes with every answer, and 304 for who has it' },
  cors: { needs: 'rules', title: 'CORS is open, on errors too' },
  nosniff: { needs: 'rules', title: 'nosniff is set' },
  'page-policy': { needs: 'rules', title: 'a page is sent with the policy that nothing foreign runs in it' },
  caching: { needs: 'rules', title: "Cache-Control is the contract's" },
  vary: { needs: 'rules', title: 'Vary names Accept, on errors too' },
  parameters: { needs: 'rules', title: 'format, limit and offset count in every subset and order' },
  'no-wrong-page': { needs: 'rules', title: 'a window that is not built is right or refused' },
  'unknown-slug': { needs: 'rules', title: 'an unknown slug is a JSON 404, letter case included' },
  'unknown-path': { needs: 'rules', title: 'an unknown path under the prefix is a JSON 404' },
  'unknown-format': { needs: 'rules', title: 'an unknown format of a list is a 404' },
  moved: { needs: 'rules', title: 'the old address of a renamed record redirects to the new one with 301' },
  'unknown-record-format': { needs: 'requests', title: 'an unknown format of a record is a 404' },
  'encoded-names': { needs: 'requests', title: 'a percent-encoded parameter name is read or refused' },
  allow: { needs: 'requests', title: 'Allow is set, on errors too' },
  slash: { needs: 'requests', title: 'a missing final slash redirects with 301 and keeps the query' },
  options: { needs: 'requests', title: 'OPTIONS says what is allowed, and a CORS preflight passes' },
  method: { needs: 'requests', title: 'any other method is a JSON 405' },
  browser: { needs: 'requests', title: 'a browser gets the page, a program JSON' },
  windows: { needs: 'code', title: 'every window works, as the reference framework does it' },
  repeated: { needs: 'code', title: 'the last of repeated parameters counts' },
  'not-acceptable': { needs: 'code', title: 'an Accept that cannot be met is a 406' },
} as const satisfies Record<string, Clause>;

export type ClauseName = keyof typeof clauses;
export const clauseNames = Object.keys(clauses) as readonly ClauseName[];
