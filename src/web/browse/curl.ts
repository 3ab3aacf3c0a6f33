export const createCurlCommand = (url: string): string =>
  `curl "${escapeForShell(url)}"`;

/** Percent-encodes the characters that a shell would expand inside double quotes. */
const escapeForShell = (url: string): string =>
  url.replaceAll(
    /["$`!\\]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
