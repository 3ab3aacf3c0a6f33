/** @see https://learn.microsoft.com/en-us/windows/win32/fileio/naming-a-file */
export function isWindowsName(name: string): boolean {
  const hasForbiddenMark = /[<>:"/\\|?*]/.test(name);
  const hasForbiddenEnd = /[. ]$/.test(name);
  const hasControlCharacter = [...name].some((character) => character < ' ');
  return !hasForbiddenMark && !hasForbiddenEnd && !hasControlCharacter;
}
