/** Copies text to the clipboard, or selects it where the clipboard is not available, as on insecure origins. */

/** How long a message stays. */
const SAID_MS = 6000;

/**
 * @param shown the element that contains the text
 * @param status the element for messages
 */
export async function copyText(shown: HTMLElement, status: HTMLElement): Promise<void> {
  let said = 'Copied.';
  try {
    // On insecure origins `navigator.clipboard` is undefined.
    await navigator.clipboard.writeText(shown.textContent);
  } catch {
    getSelection()?.selectAllChildren(shown);
    said = 'Copying is not available here. The command is selected: copy it with the keyboard or menu.';
  }
  status.textContent = said;
  setTimeout(() => {
    if (status.textContent === said) status.textContent = '';
  }, SAID_MS);
}
