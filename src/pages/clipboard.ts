/** Copying: to the clipboard, or else by selecting the text, as browsers lend the clipboard to secure addresses only. */

/** @returns what can be said of it */
export async function copyText(text: string, shown: Element): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return 'Copied.';
  } catch {
    getSelection()?.selectAllChildren(shown);
    return 'The browser does not lend its clipboard here. The command is selected: copy it from there.';
  }
}
