import { OutputError } from '../errors.ts';

/**
 * Thrown if Git or an editor has changed a text file. Its message is more useful than a wrong hash.
 */
export class TextDamageError extends OutputError {}

/**
 * What a clone without Git LFS has instead of a file.
 *
 * @see https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md
 */
export const lfsPointer = {
  name: 'a Git LFS pointer',
  /** The first bytes, in ASCII. */
  signature: 'version https://git-lfs.github.com/spec/',
  hint: 'Fetch the file with git lfs pull.',
};

const CHECK_OUT_AGAIN =
  'Add the line "* -text" to the .gitattributes of its folder, and check the file out again.';

/**
 * Rejects a text file that has typical damage.
 *
 * @param file the file as the user named it
 * @throws TextDamageError
 */
export function rejectDamagedText(file: string, body: Uint8Array): void {
  const { name, signature, hint } = lfsPointer;
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const start = text.toString('latin1', 0, signature.length);
  if (start === signature) {
    throw new TextDamageError(`is ${name}, expected the file itself`, file, { hint });
  }
  if (text.includes('\r\n')) {
    throw new TextDamageError('has CRLF line breaks, expected LF', file, {
      hint: CHECK_OUT_AGAIN,
    });
  }
}

/** @throws TextDamageError if a file with one record per line does not end with a line break */
export function rejectMissingLineBreak(file: string, body: Uint8Array): void {
  if (body.length === 0 || body.at(-1) === 0x0a) return;
  const hint = 'An editor may have removed it. Add the line break, or restore the file.';
  throw new TextDamageError('has no line break at its end', file, { hint });
}
