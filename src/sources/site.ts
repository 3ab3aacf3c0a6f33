/**
 * The site source. It reads only the data of a built site, from a folder, an archive
 * or a deployment.
 */

import { openStorage } from '../built/archive.ts';
import { readIntactPast } from '../built/past.ts';
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
import type { Past } from '../dataset/past.ts';
import { DataError } from '../errors.ts';
import {
  removeSkipped,
  type Source,
  type SourceContext,
} from '../upstream/source.ts';
import type { RequestStats } from '../upstream/transport.ts';

/**
 * Reads a built site.
 *
 * The site may come from anyone, so its records are validated with the schemas of
 * this version. If the published site has the same data, we read the records from
 * there, so that the list pages of a deployment need not be fetched.
 *
 * @throws UpstreamError, OutputError or DataError
 */
export const siteSource: Source = async (context) => {
  const { today, maxMemoryBytes, previous } = context;
  const { storage, requests } = await openSource(context);
  const site = openSite(storage, maxMemoryBytes);
  readVerified(storage, site.entries, META_FILE);
  const { counts, digest } = site.meta;
  const publishedRecords =
    previous?.digest === digest ? previous.records() : undefined;
  const records = validateRecords(site, publishedRecords ?? site.records());
  const names = context.hasNames === false ? [] : site.names(records);
  const { provenance, notices } = validateProvenance(site.meta, today);
  const completeData = {
    warnings: [],
    provenance,
    counts,
    digest,
    records,
    namesSummary: summarizeNames(names),
    readNames: () => names,
  };
  const dataSet = removeSkipped(completeData, context);

  const readPast = (): Past => {
    const isComplete = dataSet.digest === digest;
    const wayOut = 'Build that site again from its upstream';
    const { history, oldSlugs } = readIntactPast(site.past, { isComplete, wayOut });
    return { history: correctHistory(history, today), oldSlugs };
  };
  return {
    dataSet,
    readPast,
    site,
    source: provenance.source,
    isCopy: true,
    requests,
    notices,
  };
};

interface OpenedSource {
  readonly storage: SiteStorage;
  /** The number of requests. Undefined for a folder or an archive. */
  readonly requests?: Readonly<RequestStats>;
}

async function openSource(context: SourceContext): Promise<OpenedSource> {
  const { upstream = '', signal } = context;
  if (!isUrl(upstream)) return { storage: await openStorage(upstream) };
  // Copying a folder or an archive does not require undici, so we import these
  // modules as late as possible.
  const { closeOnAbort, createClient } = await import('../upstream/client.ts');
  const { deploymentStorage } = await import('./deployment.ts');
  return closeOnAbort(createClient(context), signal, async (client) => {
    const storage = await deploymentStorage(client, upstream, context);
    return { storage, requests: client.stats };
  });
}

/**
 * Matches the values that gamedata writes as the upstream: a URL, `local files`,
 * `unknown` or an npm package.
 */
const UPSTREAM =
  /^(?:https?:\/\/[\x21-\x7e]{1,200}|local files|unknown|npm package [\w@./, -]{1,100})$/;

interface ValidProvenance {
  readonly provenance: Provenance;
  /** Messages about values that were dropped or corrected. */
  readonly notices: readonly string[];
}

/**
 * Drops implausible values from the provenance, because the copied site is not
 * trusted.
 */
function validateProvenance(
  { source, ...claimed }: Meta,
  today: string,
): ValidProvenance {
  const notices: string[] = [];
  const isKnownUpstream = UPSTREAM.test(claimed.upstream);
  const upstream = isKnownUpstream ? claimed.upstream : 'unknown';
  if (!isKnownUpstream) {
    notices.push("dropped the source's upstream, which is not a URL");
  }
  const { captured, edition } = correctDates(claimed, today);
  if (captured !== claimed.captured) {
    const problem = `the source was captured on ${claimed.captured}, which is in the future`;
    notices.push(`${problem}; using ${today} instead`);
  }
  if (edition !== claimed.edition) {
    const deployed = claimed.edition?.deployed;
    notices.push(
      `dropped the source's edition from ${deployed}, which is in the future`,
    );
  }
  return { provenance: { source, upstream, captured, edition }, notices };
}

/**
 * Corrects dates in the future, because a copied site may come from anyone. A future
 * capture date is replaced with today, and a future edition is dropped.
 */
function correctDates<T extends Pick<DataSetSummary, 'captured' | 'edition'>>(
  summary: T,
  today: string,
): T {
  const corrected = { ...summary };
  const { captured, edition } = summary;
  if (captured !== null && captured > today) corrected.captured = today;
  if (edition && isAhead(edition, Date.now())) corrected.edition = null;
  return corrected;
}

export function correctHistory({ steps }: History, today: string): History {
  const correctedSteps = steps.map((step) => ({
    ...step,
    from: correctDates(step.from, today),
    to: correctDates(step.to, today),
  }));
  return { steps: correctedSteps };
}

/**
 * Validates the records of a site.
 *
 * @throws DataError if a record is invalid, or if ids or fields are not in order
 */
function validateRecords({ storage }: BuiltSite, foundRecords: AnyRecords): Records {
  return mapKinds((kind) => {
    let lastId = 0;
    return foundRecords[kind].map((foundRecord) => {
      const record = storage.at(recordFile(kind, foundRecord.slug));
      const validRecord = parse(recordSchemas[kind], foundRecord, { record });
      if (validRecord.id <= lastId) {
        const problem = `got ${validRecord.id}, expected ascending ids`;
        throw new DataError(problem, { record, field: 'id' });
      }
      lastId = validRecord.id;
      // Parsing puts the fields of a record in the order of the schema.
      const expectedFields = JSON.stringify(Object.keys(validRecord));
      const foundFields = JSON.stringify(Object.keys(foundRecord));
      if (foundFields !== expectedFields) {
        throw new DataError("got fields out of order, expected the schema's order", {
          record,
        });
      }
      return validRecord;
    });
  });
}
