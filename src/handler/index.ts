/**
 * The handler: the whole contract as a function from a request to its answer, over any asset store. Web standards only,
 * so that it runs in Node, in Workers, in Deno and in a test.
 */

import { errorDetails, NOT_ACCEPTABLE_DETAIL, notAllowedDetail } from '../contract/errors.ts';
import { negotiate } from './accept.ts';
import {
  answerApi,
  answerFile,
  answerJson,
  answerPage,
  answerPreflight,
  JSON_TYPE,
  redirectAway,
  redirectTo,
  refuse,
} from './answer.ts';
import { createMovedReader } from './moved.ts';
import { pictureElsewhere } from './pictures.ts';
import { type Answer, fromRequest, type PlainRequest, toResponse } from './plain.ts';
import { isRead, readFormat, readWindow } from './query.ts';
import { quickHash } from './quick-hash.ts';
import type { Asset, AssetStore } from './store.ts';
import { resolveTarget, type Target } from './target.ts';
import { createWindowReader } from './window.ts';

export { fileHeaders } from './answer.ts';
export { asksForBuilt } from './built.ts';
export { createFetchStore } from './fetch-store.ts';
export type { Answer, PlainRequest } from './plain.ts';
export type { Asset, AssetStore } from './store.ts';
export { resolveTarget } from './target.ts';

export type Handler = (request: Request) => Promise<Response>;
export type Answerer = (request: PlainRequest) => Promise<Answer>;

/** The browsable page, one file for every address. */
const PAGE_FILE = 'browse.html';

/** What the reference framework says that its endpoints take and give. */
const endpointMedia = {
  renders: [JSON_TYPE, 'text/html'],
  parses: [JSON_TYPE, 'application/x-www-form-urlencoded', 'multipart/form-data'],
};

/** Makes the handler of a site. */
export function createHandler(store: AssetStore): Handler {
  const answer = createAnswerer(store);
  return async (request) => toResponse(await answer(fromRequest(request)));
}

/**
 * The handler itself, on plain data. Decisions come in the reference framework's order: format (404), Accept (406),
 * method (405), lookup (404). A body is never read.
 */
export function createAnswerer(store: AssetStore): Answerer {
  const readList = createWindowReader(store);
  const readMoved = createMovedReader(store);

  /** The JSON of an endpoint. */
  async function lookUp(target: Endpoint, query: URLSearchParams): Promise<Asset | undefined> {
    if (target.type === 'list') return readList(target.kind, readWindow(query));
    return target.file === undefined ? undefined : store.get(target.file);
  }

  async function answerEndpoint(
    request: PlainRequest,
    target: Endpoint,
    query: URLSearchParams,
  ): Promise<Answer> {
    const format = readFormat(query);
    if (format === 'other') return refuse(request, 404, errorDetails[404]);
    const { representation, indent } = negotiate(format, request.headers.get('Accept'));
    if (representation === undefined) return refuse(request, 406, NOT_ACCEPTABLE_DETAIL);
    if (request.method === 'OPTIONS')
      return answerJson(request, { name: target.name, description: '', ...endpointMedia });
    if (!isRead(request)) return refuse(request, 405, notAllowedDetail(request.method));
    const asset = await lookUp(target, query);
    if (!asset) {
      const moved = target.type === 'record' && target.file ? await readMoved(target.file) : undefined;
      return moved !== undefined
        ? redirectTo(`${moved}${request.search}`)
        : refuse(request, 404, errorDetails[404]);
    }
    const page = representation === 'html' ? await store.get(PAGE_FILE) : undefined;
    if (page) return answerPage(request, page);
    return answerApi(request, indent > 0 ? indented(asset, indent) : asset, JSON_TYPE);
  }

  async function answerFileAt(request: PlainRequest, file: string): Promise<Answer> {
    const asset = await store.get(file);
    const elsewhere = asset ? undefined : await pictureElsewhere(store, file);
    const answer = asset ? answerFile(request, asset, file) : elsewhere && redirectAway(elsewhere);
    if (!answer) return refuse(request, 404, errorDetails[404]);
    return isRead(request) ? answer : refuse(request, 405, notAllowedDetail(request.method));
  }

  return async (request) => {
    if (request.method === 'OPTIONS' && request.headers.has('Access-Control-Request-Method'))
      return answerPreflight();
    const target = resolveTarget(request.path);
    switch (target.type) {
      case 'slashless':
        return redirectTo(`${target.path}${request.search}`);
      case 'file':
        return answerFileAt(request, target.file);
      case 'nothing':
        return refuse(request, 404, errorDetails[404]);
      default:
        return answerEndpoint(request, target, new URLSearchParams(request.search));
    }
  };
}

type Endpoint = Extract<Target, { name: string }>;

/** The same JSON with line breaks and blanks, for people who ask for it with `Accept: application/json; indent=4`. */
function indented({ body, etag }: Asset, indent: number): Asset {
  const text = JSON.stringify(JSON.parse(new TextDecoder().decode(body)), null, indent);
  return { body: new TextEncoder().encode(text), etag: `"${quickHash(`${etag}:${indent}`)}"` };
}
