import * as z from 'zod';
import { getMaxBytes } from '../contract/limits.ts';
import {
  type Manifest,
  type Meta,
  manifestReader,
  metaReader,
  rejectOtherFormat,
} from '../contract/meta.ts';
import { parse, parseJson } from '../contract/parse.ts';
import { MANIFEST_FILE, META_FILE } from '../contract/paths.ts';
import { DataError, type ErrorOptions, errorCode, OutputError } from '../errors.ts';
import type { SiteStorage } from './storage.ts';

/**
 * Thrown if another version of gamedata wrote a file, in a format that this version cannot read.
 * Unlike a damaged file, it is not replaced by the next build.
 */
export class OtherFormatError extends OutputError {}

const ownSchema = z.object({ generator: z.string().startsWith('gamedata/') });

const isOwnJson = (json: unknown): boolean => ownSchema.safeParse(json).success;

/**
 * Recognizes a manifest that any version of gamedata wrote. Web apps also have a file with this
 * name, so its generator decides.
 */
export function isOwnManifest(body: Buffer): boolean {
  // Parsed JSON takes up to twenty times the size of its text.
  if (body.length > getMaxBytes(MANIFEST_FILE)) return false;
  return isOwnJson(parseJson(`${body}`));
}

/** @throws OutputError if the manifest is missing, invalid or in another format */
export const readManifest = (storage: SiteStorage): Manifest =>
  readOwnFile(storage, MANIFEST_FILE, manifestReader);

/** @throws OutputError if the manifest is invalid or in another format */
export const parseManifest = (storage: SiteStorage, body: Buffer): Manifest =>
  parseOwnFile(storage, MANIFEST_FILE, body, manifestReader);

/** @throws OutputError if `meta.json` is missing, invalid or in another format */
export const readMeta = (storage: SiteStorage): Meta => readOwnFile(storage, META_FILE, metaReader);

/** @throws OutputError if `meta.json` is invalid or in another format */
export const parseMeta = (storage: SiteStorage, body: Buffer): Meta =>
  parseOwnFile(storage, META_FILE, body, metaReader);

function readOwnFile<S extends z.ZodType>(
  storage: SiteStorage,
  file: string,
  schema: S,
): z.infer<S> {
  let body: Buffer;
  try {
    body = storage.read(file);
  } catch (cause) {
    throw createInvalidError(storage, file, cause);
  }
  return parseOwnFile(storage, file, body, schema);
}

function parseOwnFile<S extends z.ZodType>(
  storage: SiteStorage,
  file: string,
  body: Buffer,
  schema: S,
): z.infer<S> {
  const createFormatError = (problem: string, options: ErrorOptions): OutputError =>
    new OtherFormatError(`${file} ${problem}`, storage.name, options);
  try {
    const json: unknown = JSON.parse(`${body}`);
    // In the file of a web app, `format` may mean anything.
    if (isOwnJson(json)) rejectOtherFormat(json, createFormatError);
    return parse(schema, json, {});
  } catch (cause) {
    throw createInvalidError(storage, file, cause);
  }
}

function createInvalidError(storage: SiteStorage, file: string, cause: unknown): OutputError {
  if (cause instanceof OutputError) return cause;
  let reason = errorCode(cause) || 'invalid JSON';
  if (cause instanceof DataError) reason = cause.message;
  return new OutputError(`has no valid ${file}: ${reason}`, storage.name, { cause });
}
