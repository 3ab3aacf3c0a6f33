import { getCachePrefix } from '../../contract/offline.ts';
import { OFFLINE_FILE } from '../../contract/paths.ts';
import { element, getMessage, siteRoot } from '../shared/dom.ts';

/**
 * Adds a switch to an empty element. The switch stores this site and its API in the
 * browser by registering the offline worker. If that is not possible, the element stays
 * empty.
 */
export function connectOfflineSwitch(container: HTMLElement): void {
  const hasWorkers = isSecureContext && 'serviceWorker' in navigator;
  if (!hasWorkers || !isAtBaseUrl()) return;
  void addSwitch(container);
}

/**
 * Returns whether this site is at its base URL. Elsewhere, the API's links lead to
 * another site, whose requests the worker could not answer.
 */
function isAtBaseUrl(): boolean {
  const selector = 'meta[property="og:url"]';
  const meta = document.querySelector<HTMLMetaElement>(selector);
  return meta !== null && new URL(meta.content).href === siteRoot;
}

async function addSwitch(container: HTMLElement): Promise<void> {
  const registration = await findRegistration();
  // Registering our worker would replace the operator's own worker.
  if (registration && !isOurs(registration)) return;

  const toggle = element('input', { type: 'checkbox', role: 'switch' });
  toggle.checked = registration !== undefined;
  const label = element(
    'label',
    { class: 'offline-switch' },
    toggle,
    ' Keep this API in this browser',
  );
  const status = element('p', { class: 'quiet', role: 'status' });
  container.append(label, status);
  toggle.addEventListener('change', async () => {
    toggle.disabled = true;
    status.textContent = toggle.checked ? 'Storing …' : 'Removing …';
    try {
      status.textContent = toggle.checked ? await storeSite() : await removeSite();
    } catch (error) {
      status.textContent = `This did not work: ${getMessage(error)}`;
      toggle.checked = (await findRegistration()) !== undefined;
    }
    toggle.disabled = false;
  });
}

/** Finds the registration of a worker whose scope is exactly this site. */
async function findRegistration(): Promise<ServiceWorkerRegistration | undefined> {
  const registration = await navigator.serviceWorker.getRegistration(siteRoot);
  return registration?.scope === siteRoot ? registration : undefined;
}

function isOurs({
  installing,
  waiting,
  active,
}: ServiceWorkerRegistration): boolean {
  const worker = active ?? waiting ?? installing;
  return worker?.scriptURL === siteRoot + OFFLINE_FILE;
}

/**
 * Registers the worker, which stores the site while it is installed.
 *
 * @throws if the site cannot be stored
 */
async function storeSite(): Promise<string> {
  const { serviceWorker } = navigator;
  const { installing } = await serviceWorker.register(siteRoot + OFFLINE_FILE);
  // If no worker is being installed, the site is stored already.
  if (installing && !(await isInstalled(installing))) {
    throw new Error('the site could not be stored. Storage may be full.');
  }
  return 'Stored. After the next reload, this site and its API also work without a connection.';
}

/** Waits until a worker is installed, or until its installation has failed. */
function isInstalled(worker: ServiceWorker): Promise<boolean> {
  return new Promise((resolve) => {
    function check(): void {
      if (worker.state === 'redundant') resolve(false);
      else if (worker.state !== 'installing') resolve(true);
    }
    worker.addEventListener('statechange', check);
    check();
  });
}

async function removeSite(): Promise<string> {
  const registration = await findRegistration();
  await registration?.unregister();
  const prefix = getCachePrefix(siteRoot.slice(0, -1), 'site');
  for (const name of await caches.keys()) {
    if (name.startsWith(prefix)) await caches.delete(name);
  }
  return 'Removed.';
}
