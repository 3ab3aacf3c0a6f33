import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createRareSave, pushUrl } from '../../../src/web/shared/history.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('saves at most once a second even if saves are scheduled more often', () => {
  const save = vi.fn();
  const rarely = createRareSave(save);
  // We schedule a save every 10 milliseconds for 30 seconds, in which Safari allows
  // 100 calls.
  for (let time = 0; time < 30_000; time += 10) {
    rarely.schedule();
    vi.advanceTimersByTime(10);
  }
  expect(save.mock.calls.length).toBeGreaterThan(20);
  expect(save.mock.calls.length).toBeLessThanOrEqual(30);
});

it('ignores an error that the browser throws while saving', () => {
  const rarely = createRareSave(() => {
    throw new DOMException('too many calls', 'SecurityError');
  });
  expect(() => rarely.now()).not.toThrow();
  rarely.schedule();
  expect(() => vi.runAllTimers()).not.toThrow();
});

it('saves immediately on flush if a save is scheduled', () => {
  const save = vi.fn();
  const rarely = createRareSave(save);
  rarely.flush();
  expect(save).not.toHaveBeenCalled();
  rarely.schedule();
  rarely.flush();
  vi.runAllTimers();
  expect(save).toHaveBeenCalledTimes(1);
});

it('does not save after a scheduled save is canceled', () => {
  const save = vi.fn();
  const rarely = createRareSave(save);
  rarely.schedule();
  rarely.cancel();
  vi.runAllTimers();
  expect(save).not.toHaveBeenCalled();
});

it('returns whether the browser added a history entry', () => {
  const pushState = vi.fn();
  expect(pushUrl({ pushState }, 'http://host.test/a?b')).toBe(true);
  expect(pushState).toHaveBeenCalledWith(null, '', '/a?b');
  pushState.mockImplementation(() => {
    throw new DOMException('too many calls', 'SecurityError');
  });
  expect(pushUrl({ pushState }, 'http://host.test/a?b')).toBe(false);
});
