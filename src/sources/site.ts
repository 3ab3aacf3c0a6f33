/** The site source: reads only the data of a built site, from a folder, an archive or a deployment. */

import { openStorage } from '../built/archive.ts';
import { withRestoreHint } from '../built/previous-site.ts';
import { type BuiltSite, openSite } from '../built/site.ts';
import type { SiteStorage } from '../built/storage.ts';
import { readVerified } from '../built/verified-files.ts';
import type { DataSetSummary, History } from '../contract/changes.ts';
import { mapKinds } from '../contract/kinds.ts';
import { isAhead, type Meta } from '../contract/meta.ts';
import { parse } from '../contract/parse.ts';
import { isUrl, META_FILE, recordFile } from '../contract/paths.ts';
import { recordSchemas } from '../contract/records.ts';
import {
  type AnyRecords,
  type Provenance,
  type Records,
  summarizeNames,
} from '../dataset/data-set.ts';
import { emptyHistory } from '../dataset/history.ts';
import type { Past } from '../dataset/past.ts';
import { DataError } from '../errors.ts';
import type { FetcherStats } from '../http/fetcher.ts';
import { removeSkipped, type Source, type SourceContext } from './source.ts';

export const site: Source = async (context) => {
  const [storage, requests] = await findSite(context);
  const found = openSite(storage, context.maxMemoryBytes);
  readVerified(storage, found.entries, META_FILE);
  const { counts, digest } = found.meta;
  const publishedRecords =
    context.previous?.digest === digest ? context.previous.records() : undefined;
  const records = validateRecords(found, publishedRecords ?? found.records());
  const names = context.hasNames === false ? [] : found.names(records);
  const { provenance, notices } = validateProvenance(found.meta, context.today);
  const namesSummary = summarizeNames(names);
  const whole = { warnings: [], provenance, counts, digest, records, names, namesSummary };
  const dataSet = removeSkipped(whole, context);

  const about = { name: storage.name, wayOut: 'Build that site again from its upstream' };
  const readHistory = (): History => correctHistory(found.history(), context.today);
  const readPast = (): Past => ({
    // The history describes all records.
    history: dataSet.digest === digest ? readHistory() : emptyHistory,
    oldSlugs: withRestoreHint(about, found.oldSlugs),
  });
  return {
    dataSet,
    readPast,
    site: found,
    source: provenance.source,
    isCopy: true,
    requests,
    notices,
  };
};

async function findSite(context: SourceContext): Promise<[SiteStorage, FetcherStats?]> {
  const { upstream = '', signal } = context;
  if (!isUrl(upstream)) return [await openStorage(upstream)];
  const { closeOnAbort, createClient } = await import('../http/client.ts');
  const { deploymentStorage } = await import('./deployment.ts');
  return closeOnAbort(createClient(context), signal, async (client) => {
    const storage = await deploymentStorage(client, upstream, context);
    return [storage, client.stats];
  });
}

/** Matches the upstreams that gamedata writes: a URL, `local files`, `unknown` or an npm package. */
const UPSTREAM =
  /^(?:https?:\/\/[\x21-\x7e]{1,200}|local files|unknown|npm package [\w@./, -]{1,100})$/;

/** Drops implausible provenance, because the copied site is untrusted. */
function validateProvenance(
  { source, ...claimed }: Meta,
  today: string,
): { provenance: Provenance; notices: string[] } {
  const { captured, edition } = correctDates(claimed, today);
  const upstream = UPSTREAM.test(claimed.upstream) ? claimed.upstream : 'unknown';
  const notices = [
    upstream !== claimed.upstream && "dropped the source's upstream, which is not a URL",
    captured !== claimed.captured &&
      `the source was captured on ${claimed.captured}, which is in the future; using ${today} instead`,
    edition !== claimed.edition &&
      `dropped the source's edition from ${claimed.edition?.deployed}, which is in the future`,
  ].filter((notice) => notice !== false);
  return { provenance: { source, upstream, captured, edition }, notices };
}

/** Replaces a capture date in the future by today and drops an edition in the future, because a copy may come from anyone. */
function correctDates<T extends Pick<DataSetSummary, 'captured' | 'edition'>>(
  summary: T,
  today: string,
): T {
  const { captured, edition } = summary;
  return {
    ...summary,
    ...(captured !== null && captured > today && { captured: today }),
    ...(edition && isAhead(edition, Date.now()) && { edition: null }),
  };
}

export const correctHistory = ({ steps }: History, today: string): History => ({
  steps: steps.map((step) => ({
    ...step,
    from: correctDates(step.from, today),
    to: correctDates(step.to, today),
  })),
});

function validateRecords({ storage }: BuiltSite, found: AnyRecords): Records {
  return mapKinds((kind) =>
    found[kind].map((value, at) => {
      const record = storage.at(recordFile(kind, value.slug));
      const valid = parse(recordSchemas[kind], value, { record });
      if (valid.id <= (found[kind][at - 1]?.id ?? 0))
        throw new DataError(`got ${valid.id}, expected ascending ids`, { record, field: 'id' });
      if (JSON.stringify(Object.keys(valid)) === JSON.stringify(Object.keys(value))) return valid;
      throw new DataError("got fields out of order, expected the schema's order", { record });
    }),
  );
}
