/**
 * Loads the icons of visible records, and shows them in place of their glyphs. Icons
 * that the site does not store come from the upstream, so the loader takes care not to
 * burden it.
 */

import { PLACEHOLDER_ICON } from '../../contract/paths.ts';
import { ignoreBlockedStorage } from './blocked-storage.ts';
import { siteRoot } from './dom.ts';

const MAX_REQUESTS = 6;
const MAX_FAILURES = 3;
/** How long scrolling must have stopped before the loader requests icons. */
const PAUSE_MS = 150;
const STOPPED_KEY = 'gamedata.icons';

const { icons: iconMode = 'none' } = document.documentElement.dataset;
let isStopped = !mayLoadIcons();
let failures = 0;
let requests = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Elements that are in view and still show a glyph. */
const visibleSlots = new Set<HTMLElement>();
/** The loaded icons by path. Null if the icon does not exist. */
const loadedIcons = new Map<string, ImageBitmap | null>();

const observer = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (isIntersecting) visibleSlots.add(target as HTMLElement);
    else visibleSlots.delete(target as HTMLElement);
  }
  schedule();
});
addEventListener('scroll', schedule, { passive: true });

/**
 * Returns whether to load icons. If the site does not store them itself, they come from
 * the upstream, so they are not loaded for users who have chosen to save data.
 */
function mayLoadIcons(): boolean {
  if (iconMode === 'mirror') return true;
  if (iconMode !== 'link' || hasStoppedBefore()) return false;
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  return connection?.saveData !== true;
}

function hasStoppedBefore(): boolean {
  const value = ignoreBlockedStorage(() => sessionStorage.getItem(STOPPED_KEY));
  return value === 'stopped';
}

/** Watches every element below `root` whose `data-icon` is the path of an icon. */
export function watchIcons(root: ParentNode): void {
  if (isStopped) return;
  for (const slot of root.querySelectorAll<HTMLElement>('[data-icon]')) {
    const { icon = '' } = slot.dataset;
    // For an item without an icon, the path is empty or that of the placeholder.
    if (icon === '' || icon === PLACEHOLDER_ICON) continue;
    const loadedIcon = loadedIcons.get(icon);
    if (loadedIcon) showIcon(slot, loadedIcon);
    // Null means that the icon does not exist, so the glyph stays.
    else if (loadedIcon === undefined) observer.observe(slot);
  }
}

function schedule(): void {
  clearTimeout(timer);
  timer = setTimeout(loadVisibleIcons, PAUSE_MS);
}

/** Loads the icons of the elements in view, a few at a time. */
function loadVisibleIcons(): void {
  for (const slot of visibleSlots) {
    if (isStopped || requests >= MAX_REQUESTS) return;
    visibleSlots.delete(slot);
    observer.unobserve(slot);
    requests++;
    void loadIcon(slot).finally(() => {
      requests--;
      loadVisibleIcons();
    });
  }
}

/**
 * Loads an element's icon, and shows it. After several failures, stops loading icons.
 */
async function loadIcon(slot: HTMLElement): Promise<void> {
  const { icon = '' } = slot.dataset;
  try {
    // Another element may have loaded the icon already, or found that it does not
    // exist.
    const loadedIcon = loadedIcons.get(icon);
    const picture = loadedIcon === undefined ? await fetchIcon(icon) : loadedIcon;
    loadedIcons.set(icon, picture);
    if (picture) showIcon(slot, picture);
  } catch {
    failures++;
    if (failures >= MAX_FAILURES) stop();
  }
}

/**
 * Requests an icon. Returns null if the icon does not exist, which is common: the
 * upstream has icons for only half of the items.
 */
async function fetchIcon(icon: string): Promise<ImageBitmap | null> {
  const response = await fetch(siteRoot + icon);
  if (response.status === 404) return null;
  // The upstream has received too many requests.
  if (response.status === 429) stop();
  if (!response.ok) throw new Error(`${icon}: got ${response.status}`);
  const image = await response.blob();
  if (iconMode === 'mirror' && (await isPlaceholder(image))) return null;
  return createImageBitmap(image);
}

let placeholderSize: Promise<number> | undefined;

/**
 * Returns whether an image is the placeholder. A site that stores icons contains a copy
 * of the placeholder for each missing icon.
 */
async function isPlaceholder(image: Blob): Promise<boolean> {
  placeholderSize ??= fetch(siteRoot + PLACEHOLDER_ICON)
    .then((response) => response.blob())
    .then(({ size }) => size);
  return image.size === (await placeholderSize);
}

function stop(): void {
  isStopped = true;
  observer.disconnect();
  // If storage is blocked, the next page tries again.
  ignoreBlockedStorage(() => sessionStorage.setItem(STOPPED_KEY, 'stopped'));
}

/** Icons are drawn on a canvas, because the page's policy forbids `blob:` images. */
function showIcon(slot: HTMLElement, picture: ImageBitmap): void {
  const canvas = document.createElement('canvas');
  canvas.className = 'icon';
  canvas.width = picture.width;
  canvas.height = picture.height;
  canvas.getContext('2d')?.drawImage(picture, 0, 0);
  slot.replaceChildren(canvas);
}
