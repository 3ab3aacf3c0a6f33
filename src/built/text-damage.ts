import { OutputError } from '../errors.ts';

/** Thrown if Git or an editor has changed a text file, which is a more useful message than a wrong hash. */
export class TextDamageError extends OutputError {}

/** @see https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md */
const POINTER = 'version https://git-lfs.github.com/spec/';

const CHECK_OUT_AGAIN =
  'Add the line "* -text" to the .gitattributes of its folder, and check the file out again.';

/**
 * Rejects a text file that has typical damage.
 *
 * @param file the file as the user named it
 * @throws TextDamageError
 */
export function rejectDamagedText(file: string, body: Uint8Array): void {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (text.subarray(0, POINTER.length).toString('latin1') === POINTER) {
    const hint = 'Fetch the file with git lfs pull.';
    throw new TextDamageError('is a Git LFS pointer, expected the file itself', file, { hint });
  }
  if (text.includes('\r\n')) {
    const hint = CHECK_OUT_AGAIN;
    throw new TextDamageError('has CRLF line breaks, expected LF', file, { hint });
  }
}

/** @throws TextDamageError if a file with one record per line does not end with a line break */
export function rejectMissingLineBreak(file: string, body: Uint8Array): void {
  if (body.length === 0 || body.at(-1) === 0x0a) return;
  const hint = 'An editor may have removed it. Add the line break, or restore the file.';
  throw new TextDamageError('has no line break at its end', file, { hint });
}
