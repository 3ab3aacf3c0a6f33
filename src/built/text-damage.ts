import { OutputError } from '../errors.ts';

/**
 * Thrown if Git or an editor has changed a text file. Its message is more helpful
 * than a report that the hash is wrong.
 */
export class TextDamageError extends OutputError {}

/**
 * The pointer file that Git checks out in place of a large file if Git LFS is not
 * installed.
 *
 * @see https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md
 */
export const lfsPointer = {
  name: 'a Git LFS pointer',
  /** The first bytes of a pointer file, in ASCII. */
  signature: 'version https://git-lfs.github.com/spec/',
  hint: 'Fetch the file with git lfs pull.',
};

const CHECK_OUT_AGAIN =
  'Add the line "* -text" to the .gitattributes of its folder, and check the file out again.';

/**
 * Rejects a text file that shows typical damage by Git or an editor. Binary files,
 * such as images, may contain the bytes of a line break by chance, but unlike texts
 * they also contain NUL bytes.
 *
 * @param file the file's path as the user entered it
 * @throws TextDamageError if the file is a Git LFS pointer or has CRLF line breaks
 */
export function rejectDamagedText(file: string, body: Uint8Array): void {
  const { name, signature, hint } = lfsPointer;
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const start = text.toString('latin1', 0, signature.length);
  if (start === signature) {
    throw new TextDamageError(`is ${name}, expected the file itself`, file, {
      hint,
    });
  }
  const isBinary = text.includes(0);
  if (!isBinary && text.includes('\r\n')) {
    throw new TextDamageError('has CRLF line breaks, expected LF', file, {
      hint: CHECK_OUT_AGAIN,
    });
  }
}

/**
 * Rejects a file with one record per line if its last line break is missing.
 *
 * @throws TextDamageError
 */
export function rejectMissingLineBreak(file: string, body: Uint8Array): void {
  if (body.length === 0 || body.at(-1) === 0x0a) return;
  const hint =
    'An editor may have removed it. Add the line break, or restore the file.';
  throw new TextDamageError('has no line break at its end', file, { hint });
}
