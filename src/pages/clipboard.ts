/** Copying: to the clipboard, or else by selecting the text, as browsers lend the clipboard to secure addresses only. */

/** How long somebody has to read what was said. */
const SAID_MS = 6000;

/**
 * @param shown where the text stands
 * @param status where it is said what came of it
 */
export async function copyText(text: string, shown: Element, status: Element): Promise<void> {
  // Without a secure address there is no clipboard at all.
  const write = async (): Promise<void> => navigator.clipboard.writeText(text);
  const said = await write().then(
    () => 'Copied.',
    () => {
      getSelection()?.selectAllChildren(shown);
      return 'The browser does not lend its clipboard here. The command is selected: copy it from there.';
    },
  );
  status.textContent = said;
  setTimeout(() => {
    if (status.textContent === said) status.textContent = '';
  }, SAID_MS);
}
