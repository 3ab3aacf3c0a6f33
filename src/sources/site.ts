/** The site source: a built site in a folder, an archive or a deployment. Its records, names, former slugs and history count. */

import { mapKinds } from '../contract/kinds.ts';
import { parse } from '../contract/parse.ts';
import { META_FILE, recordFile } from '../contract/paths.ts';
import { recordSchemas } from '../contract/records.ts';
import type { Records } from '../dataset/data-set.ts';
import { summarizeNames } from '../dataset/digest.ts';
import { DataError } from '../errors.ts';
import type { FetcherStats } from '../http/fetcher.ts';
import { localPlace, type Place } from './site/place.ts';
import { openSite, readListed, type Site } from './site/read.ts';
import { leaveOut } from './skip.ts';
import { isAddress, type Source, type SourceContext } from './source.ts';

export const site: Source = async (context) => {
  const [place, requests] = await findSite(context);
  const found = openSite(place);
  readListed(place, found.entries, META_FILE);
  const { source, upstream, counts, digest, captured, edition, skipped } = found.meta;
  const records = validated(found);
  const names = context.hasNames === false ? [] : found.names();
  const provenance = { source, upstream, captured, edition, skipped };
  const namesSummary = summarizeNames(names);
  const whole = { warnings: [], provenance, counts, digest, records, names, namesSummary };
  const former = found.former(() => records);
  return { ...leaveOut(whole, found.history, context), former, site: found, source, requests };
};

async function findSite(context: SourceContext): Promise<[Place, FetcherStats?]> {
  const { upstream = '', signal } = context;
  if (!isAddress(upstream)) return [await localPlace(upstream)];
  const { abortable, createClient } = await import('../http/client.ts');
  const { deploymentPlace, isSource } = await import('./site/deployment.ts');
  return abortable(createClient(context), signal, async (client) => [
    await deploymentPlace(client, upstream, isSource),
    { ...client.stats, cacheHits: 0 },
  ]);
}

/** A copy may come from anybody: its records have to be what a build would make, with fields in the order of the schemas. */
function validated({ place, records: read }: Site): Records {
  const found = read();
  return mapKinds((kind) =>
    found[kind].map((value, at) => {
      const record = place.at(recordFile(kind, value.slug));
      const valid = parse(recordSchemas[kind], value, { record });
      if (valid.id <= (found[kind][at - 1]?.id ?? 0))
        throw new DataError(`got ${valid.id}: expected ascending ids`, { record, field: 'id' });
      if (JSON.stringify(Object.keys(valid)) === JSON.stringify(Object.keys(value))) return valid;
      throw new DataError('got fields in another order: expected that of the schemas', { record });
    }),
  );
}
