import { loadSource } from '../../src/upstream/index.ts';
import type { SourceContext, SourceName } from '../../src/upstream/source.ts';

export const loadFrom = (
  source: SourceName,
  upstream: string,
  more: Partial<SourceContext> = {},
) =>
  loadSource({
    source,
    upstream,
    dataFolder: 'unused',
    cacheFolder: undefined,
    today: '2026-01-02',
    concurrency: 4,
    retryBaseMs: 1,
    ...more,
  });
