export const createCurlCommand = (url: string): string => `curl "${escapeForShell(url)}"`;

/** Percent-encodes characters that shells expand in double quotes. */
const escapeForShell = (url: string): string =>
  url.replaceAll(/["$`!\\]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
