import { GamedataError } from '../errors.ts';
import {
  type Manifest,
  type Meta,
  manifestReader,
  metaReader,
  rejectOtherFormat,
} from './meta.ts';
import { parse, parseJsonRecord } from './parse.ts';

/**
 * Parses a JSON file that any version of gamedata may have written to a site or data
 * set.
 *
 * @param record the path or URL of the file, for error messages
 * @throws GamedataError if it is not JSON or is in another version's format
 */
export function parseOwnJson(body: Uint8Array, record: string): unknown {
  const json = parseJsonRecord(body, record);
  rejectOtherFormat(json, record);
  return json;
}

/**
 * Parses `manifest.json`. Web apps often have a file with the same name, which the
 * schema rejects.
 *
 * @throws GamedataError if the manifest is invalid or in another version's format
 */
export function parseManifest(body: Uint8Array, record: string): Manifest {
  return parse(manifestReader, parseOwnJson(body, record), { record });
}

/** @throws GamedataError if `meta.json` is invalid or in another version's format */
export function parseMeta(body: Uint8Array, record: string): Meta {
  return parse(metaReader, parseOwnJson(body, record), { record });
}

/**
 * Creates the error for a URL or folder that is not a site, because it lacks a file
 * that every site has.
 */
export const createForeignError = (name: string, file: string): GamedataError =>
  new GamedataError(
    'data',
    `${name}: is not a gamedata site, because it has no ${file}`,
  );
