import { type Kind, kindNames } from '../../contract/kinds.ts';
import {
  API_PREFIX,
  DOCS_PATH,
  isServed,
  isWellKnown,
  recordFile,
  rootFile,
} from '../../contract/paths.ts';
import { JAVA_ACCEPT } from '../../contract/responses.ts';
import { capitalize } from '../../contract/words.ts';

/** A request as it was sent. A `Request` would normalize the path. */
export interface PlainRequest {
  readonly method: string;
  readonly path: string;
  readonly search: string;
  readonly headers: Pick<Headers, 'get'>;
}

export interface PlainResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: readonly Uint8Array<ArrayBuffer>[] | null;
}

export type Target =
  | { readonly type: 'root' | 'record'; readonly name: string; readonly file: string | undefined }
  | { readonly type: 'list'; readonly name: string; readonly kind: Kind }
  | { readonly type: 'redirect'; readonly path: string }
  | { readonly type: 'file'; readonly file: string }
  | { readonly type: 'nothing' };

/** Finds the endpoint, redirect or file at a path. Decodes percent-encoding first, including encoded slashes. */
export function resolveTarget(sent: string, base = ''): Target {
  if (sent === base) return { type: 'redirect', path: '/' };
  if (!sent.startsWith(`${base}/`)) return { type: 'nothing' };
  const path = sent.slice(base.length);
  const decoded = decode(path);
  if (decoded === undefined) return { type: 'nothing' };
  const rest = decoded.startsWith(API_PREFIX) ? decoded.slice(API_PREFIX.length) : undefined;
  if (rest === '') return { type: 'root', name: 'Api Root', file: rootFile };
  if ([API_PREFIX, DOCS_PATH].includes(`${decoded}/`))
    return { type: 'redirect', path: `${path}/` };
  const [, kindName, slug, slash] = /^([^/.]+)(?:\/([^/.]+))?(\/?)$/.exec(rest ?? '') ?? [];
  const kind = kindNames.find((name) => name === kindName);
  if (kind === undefined) return resolveFile(decoded, base);
  if (slash === '') return { type: 'redirect', path: `${path}/` };
  const title = capitalize(kind);
  if (slug === undefined) return { type: 'list', name: `${title} List`, kind };
  const file = /^[a-z0-9-]+$/.test(slug) ? recordFile(kind, slug) : undefined;
  return { type: 'record', name: `${title} Instance`, file };
}

function resolveFile(decoded: string, base: string): Target {
  const path = decoded.slice(1);
  if (isWellKnown(path)) {
    const isPlain = /^[\w.~/-]+$/.test(path);
    return isPlain && isServed(path, base) ? { type: 'file', file: path } : { type: 'nothing' };
  }
  const file = decoded.endsWith('/') ? `${path}index.html` : path;
  const isPlain = /^(?:\w[\w-]*\/)*\w[\w-]*(?:\.[\w-]+)+$/.test(file);
  return isPlain && isServed(file, base) ? { type: 'file', file } : { type: 'nothing' };
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

export type Format = 'api' | 'json' | 'other' | undefined;

export function readFormat(query: URLSearchParams): Format {
  const format = query.getAll('format').at(-1);
  if (format === undefined || format === '') return undefined;
  return format === 'api' || format === 'json' ? format : 'other';
}

/** Whether a client prefers `text/html`, as browsers do. Any other client gets JSON. */
export function prefersPage(format: Format, accept: string | null): boolean {
  if (format === 'json' || javaAccept.test(accept ?? '')) return false;
  const ranges = readQualities(accept ?? '*/*');
  const json = rate(ranges, ['application/json', 'application/*', '*/*']);
  const html = rate(ranges, ['text/html', 'text/*', '*/*']);
  // The more specific range wins if the qualities are equal.
  const preference = html.quality - json.quality || json.place - html.place;
  return html.quality > 0 && preference > 0;
}

const javaAccept = new RegExp(JAVA_ACCEPT);

/** Parses a header such as `text/html, text/*;q=0.8`. The first of equal names applies. */
export const readQualities = (header: string): ReadonlyMap<string, number> =>
  new Map(header.split(',').map(readQuality).reverse());

function readQuality(text: string): [name: string, quality: number] {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = Number(parameters.find((part) => part.startsWith('q='))?.slice(2) ?? 1);
  return [name, Number.isFinite(quality) ? quality : 0];
}

function rate(ranges: ReadonlyMap<string, number>, including: readonly string[]) {
  const place = including.findIndex((range) => ranges.has(range));
  return { place, quality: ranges.get(including[place] ?? '') ?? 0 };
}
