import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createRareSave, pushUrl } from '../../../src/web/shared/history.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('saves at most once a second, however often a save is scheduled', () => {
  const save = vi.fn();
  const rarely = createRareSave(save);
  // Every 10 milliseconds for 30 seconds, in which Safari allows 100 calls.
  for (let time = 0; time < 30_000; time += 10) {
    rarely.schedule();
    vi.advanceTimersByTime(10);
  }
  expect(save.mock.calls.length).toBeGreaterThan(20);
  expect(save.mock.calls.length).toBeLessThanOrEqual(30);
});

it('ignores a browser that refuses to save', () => {
  const rarely = createRareSave(() => {
    throw new DOMException('too many calls', 'SecurityError');
  });
  expect(() => rarely.now()).not.toThrow();
  rarely.schedule();
  expect(() => vi.runAllTimers()).not.toThrow();
});

it('flushes a scheduled save, and nothing else', () => {
  const save = vi.fn();
  const rarely = createRareSave(save);
  rarely.flush();
  expect(save).not.toHaveBeenCalled();
  rarely.schedule();
  rarely.flush();
  vi.runAllTimers();
  expect(save).toHaveBeenCalledTimes(1);
});

it('discards a scheduled save', () => {
  const save = vi.fn();
  const rarely = createRareSave(save);
  rarely.schedule();
  rarely.cancel();
  vi.runAllTimers();
  expect(save).not.toHaveBeenCalled();
});

it('reports whether the browser added an entry', () => {
  const pushState = vi.fn();
  expect(pushUrl({ pushState }, 'http://host.test/a?b')).toBe(true);
  expect(pushState).toHaveBeenCalledWith(null, '', '/a?b');
  pushState.mockImplementation(() => {
    throw new DOMException('too many calls', 'SecurityError');
  });
  expect(pushUrl({ pushState }, 'http://host.test/a?b')).toBe(false);
});
