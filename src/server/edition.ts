/** Editions: the site in a folder between two builds. An answer is made of one edition, never of two. */

import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { MANIFEST_FILE } from '../contract/meta.ts';
import { type Answerer, createAnswerer } from '../handler/index.ts';
import { createFolderStore } from './folder-store.ts';

export interface Edition {
  /** The site's folder, without symbolic links in its path. */
  readonly folder: string;
  readonly answer: Answerer;
  /** Changes with every build that changes something. */
  readonly mark: string;
}

/** Does something with the edition in place, and again if a build replaces it meanwhile. */
export type WithEdition = <T>(work: (edition: Edition) => Promise<T>) => Promise<T>;

/** Thrown where a build replaced the site while it was read, and still has not finished. */
export class SiteReplacedError extends Error {}

export interface EditionOptions {
  readonly maxBytes: number;
  /** How long the folder is not looked at again. */
  readonly lookMs: number;
}

const ATTEMPTS = 6;
const PAUSE_MS = 20;

export function createEditions(folder: string, { maxBytes, lookMs }: EditionOptions): WithEdition {
  let edition: Edition | undefined;
  let looked = Number.NEGATIVE_INFINITY;
  let looking: Promise<Edition> | undefined;

  async function look(): Promise<Edition> {
    try {
      const real = await realpath(folder);
      const mark = await markOf(real);
      if (!edition || edition.mark !== mark) edition = open(real, mark);
    } catch (error) {
      // Between its two renames a build leaves no folder: what is in memory is still right.
      if (!edition) throw error;
    }
    looked = performance.now();
    return edition;
  }

  function open(real: string, mark: string): Edition {
    async function confirm(): Promise<void> {
      if ((await markOf(real).catch(() => undefined)) !== mark) throw new SiteReplacedError();
    }
    return {
      folder: real,
      mark,
      answer: createAnswerer(createFolderStore({ folder: real, maxBytes, confirm })),
    };
  }

  async function current(): Promise<Edition> {
    if (edition && performance.now() - looked < lookMs) return edition;
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  }

  return async (work) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work(await current());
      } catch (error) {
        if (!(error instanceof SiteReplacedError) || attempt === ATTEMPTS) throw error;
        await setTimeout(PAUSE_MS * attempt);
        looked = Number.NEGATIVE_INFINITY;
      }
    }
  };
}

/** A build writes the manifest anew, and last, whenever it changes anything. */
async function markOf(folder: string): Promise<string> {
  const { ino, mtimeMs, size } = await stat(path.join(folder, MANIFEST_FILE));
  return [folder, ino, mtimeMs, size].join(':');
}
