/** Calls of the file system that fail. */

export function failing(code: string): () => never {
  return () => {
    throw Object.assign(new Error(`${code}: simulated`), { code });
  };
}
