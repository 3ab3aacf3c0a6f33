/**
 * Lets vitest run in a folder with a percent sign in its path. Its workers import
 * dependencies by absolute path, which Node takes for a URL and percent-decodes:
 * these hooks make it a file URL first.
 */

import { register } from 'node:module';
import { pathToFileURL } from 'node:url';

export function resolve(specifier, context, next) {
  return next(
    specifier.startsWith('/') ? pathToFileURL(specifier).href : specifier,
    context,
  );
}

// The module is loaded twice: by --import, and by `register` in the thread of the
// hooks.
if (!import.meta.url.endsWith('?hooks')) register(`${import.meta.url}?hooks`);
