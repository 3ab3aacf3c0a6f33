import { DATE_HEADER } from '../../contract/offline.ts';
import { META_FILE } from '../../contract/paths.ts';
import { formatDate } from '../../contract/words.ts';
import { requireElement, siteRoot } from '../shared/dom.ts';

/**
 * Shows the date of the data if the server cannot be reached and the data comes from
 * the browser's storage. The worker that stores the site adds a header with this date.
 */
export async function showStoredDate(): Promise<void> {
  // Without a worker, nothing is stored.
  if (!navigator.serviceWorker?.controller) return;
  try {
    const response = await fetch(siteRoot + META_FILE);
    const date = response.headers.get(DATE_HEADER);
    if (date === null) return;
    const line = requireElement('stored-date', HTMLParagraphElement);
    line.textContent = `The server cannot be reached. This is the stored data of ${formatDate(date)}.`;
  } catch {
    // The server cannot be reached and no site is stored, so there is no date to show.
  }
}
