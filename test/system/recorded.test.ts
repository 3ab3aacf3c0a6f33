import { describe, expect, it } from 'vitest';
import { decodeDataSet } from '../support/decode.ts';
import { loadFrom } from '../support/reading.ts';
import { dataSetOf, rawOf } from '../support/sites.ts';
import { tablesOf, writeClone } from '../support/tables.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import { hasRecordedUpstream, recordedUpstream } from '../support/upstream-data.ts';

describe.runIf(hasRecordedUpstream)('the recorded upstream', () => {
  it('causes exactly the known warnings', () => {
    const { records, warnings } = dataSetOf(rawOf(recordedUpstream()));
    const ids = (code: string) =>
      warnings.filter((warning) => warning.code === code).map(({ id }) => id);

    expect(ids('duplicate-slug')).toEqual([2279]);
    expect(ids('missing-name')).toEqual(
      Array.from({ length: 47 }, (_, at) => 2233 + at),
    );
    expect(ids('trimmed-name')).toEqual([2160]);
    expect(ids('no-icon')).toHaveLength(1129);
    expect(ids('conflicting-index')).toEqual([40, 198, 203]);
    expect(ids('repeated-index')).toEqual([844, 930]);
    expect(ids('unknown-generation')).toEqual([]);
    expect(warnings).toHaveLength(1 + 47 + 1 + 1129 + 3 + 2);

    const item = new Map(records.item.map((record) => [record.id, record]));
    expect([item.get(723)?.slug, item.get(2279)?.slug]).toEqual([
      'roseli-berry',
      'roseli-berry-2279',
    ]);
    expect([item.get(40)?.id2, item.get(198)?.id2, item.get(203)?.id5]).toEqual([
      65, 82, 226,
    ]);
  });

  it('produces the same records from tables and from REST responses', async () => {
    const { url } = await serveUpstream(recordedUpstream());
    const rest = decodeDataSet((await loadFrom('rest', url)).dataSet);
    const icons = rest.records.item.map(({ icon }) => icon);
    const folder = writeClone(
      temporaryFolder(),
      tablesOf(recordedUpstream()),
      icons,
    );

    const csv = decodeDataSet((await loadFrom('csv', folder)).dataSet);

    expect(csv.records).toEqual(rest.records);
    expect(csv.warnings).toEqual(rest.warnings);
  });
});
