/**
 * Makes tabs show and hide their panels. One panel is visible at a time, and the
 * left and right arrow keys move between tabs:
 * https://www.w3.org/WAI/ARIA/apg/patterns/tabs/
 */
export function connectTabs(list: HTMLElement): void {
  const tabs = [...list.querySelectorAll<HTMLElement>('[role="tab"]')];

  function select(chosen: HTMLElement): void {
    for (const tab of tabs) {
      const isChosen = tab === chosen;
      tab.setAttribute('aria-selected', String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      const panel = findPanel(tab);
      if (panel) panel.hidden = !isChosen;
    }
  }

  for (const [index, tab] of tabs.entries()) {
    tab.addEventListener('click', () => select(tab));
    tab.addEventListener('keydown', ({ key }) => {
      const step = STEPS.get(key);
      if (step === undefined) return;
      // `at` counts negative positions from the end, so the last tab is before the first.
      const next = tabs.at((index + step) % tabs.length) ?? tab;
      select(next);
      next.focus();
    });
  }
}

const STEPS: ReadonlyMap<string, number> = new Map([
  ['ArrowLeft', -1],
  ['ArrowRight', 1],
]);

const findPanel = (tab: HTMLElement): HTMLElement | null =>
  document.getElementById(tab.getAttribute('aria-controls') ?? '');

export function findSelectedPanel(list: HTMLElement): HTMLElement | null {
  const tab = list.querySelector<HTMLElement>('[aria-selected="true"]');
  return tab && findPanel(tab);
}
