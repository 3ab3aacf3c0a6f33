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
 * Thrown if a file was written by another version of gamedata in a format that this
 * version cannot read. The file is not damaged, so builds refuse to replace a
 * manifest in such a format.
 */
export class OtherFormatError extends OutputError {}

const ownSchema = z.object({ generator: z.string().startsWith('gamedata/') });

const isOwnJson = (json: unknown): boolean => ownSchema.safeParse(json).success;

/**
 * Recognizes a manifest written by any version of gamedata. Web apps also have a
 * file with this name, so we check its `generator` field.
 */
export function isOwnManifest(body: Buffer): boolean {
  // Parsed JSON can need up to twenty times as much memory as its text.
  if (body.length > getMaxBytes(MANIFEST_FILE)) return false;
  return isOwnJson(parseJson(`${body}`));
}

/**
 * @throws OutputError if the manifest is missing, invalid, or in another version's
 * format
 */
export const readManifest = (storage: SiteStorage): Manifest =>
  readOwnFile(storage, MANIFEST_FILE, manifestReader);

/** @throws OutputError if the manifest is invalid or in another version's format */
export const parseManifest = (storage: SiteStorage, body: Buffer): Manifest =>
  parseOwnFile(storage, MANIFEST_FILE, body, manifestReader);

/**
 * @throws OutputError if `meta.json` is missing, invalid, or in another version's
 * format
 */
export const readMeta = (storage: SiteStorage): Meta =>
  readOwnFile(storage, META_FILE, metaReader);

/** @throws OutputError if `meta.json` is invalid or in another version's format */
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
    // A web app's own file may use the `format` field for anything, so we ignore it
    // there.
    if (isOwnJson(json)) rejectOtherFormat(json, createFormatError);
    return parse(schema, json, {});
  } catch (cause) {
    throw createInvalidError(storage, file, cause);
  }
}

function createInvalidError(
  storage: SiteStorage,
  file: string,
  cause: unknown,
): OutputError {
  if (cause instanceof OutputError) return cause;
  if (errorCode(cause) === 'ENOENT') {
    return new OutputError(`has no ${file}`, storage.name, { cause });
  }
  let reason = errorCode(cause) || 'invalid JSON';
  if (cause instanceof DataError) reason = cause.message;
  return new OutputError(`has no valid ${file}: ${reason}`, storage.name, { cause });
}
