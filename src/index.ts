/** The public API. */

export { type ArchiveOptions, type ArchiveReport, archive } from './archive.ts';
export { build } from './build.ts';
export type { Watchers } from './capture.ts';
export type { LinkStyle } from './contract/addresses.ts';
export type { Comparison } from './contract/changes.ts';
export type { Kind } from './contract/kinds.ts';
export type { Item, Move } from './contract/records.ts';
export { diff } from './diff.ts';
export { DataError, GamedataError, OutputError, UpstreamError, UsageError } from './errors.ts';
export type { HostName } from './hosts/names.ts';
export { type MirrorReport, mirror } from './mirror.ts';
export type {
  BuildOptions,
  DiffOptions,
  MirrorOptions,
  RebaseOptions,
  SnapshotOptions,
  SourceOptions,
  VerifyOptions,
} from './options.ts';
export { type RebaseReport, rebase } from './rebase.ts';
export type { Report, WarningGroup } from './report.ts';
export { type ServeOptions, type SiteServer, serve } from './serve.ts';
export type { Limits } from './server/server.ts';
export { snapshot } from './snapshot.ts';
export type { Progress, SourceName } from './sources/source.ts';
export type { ClauseResult, DeploymentReport } from './verify/deployment.ts';
export type { FolderReport, Problem } from './verify/folder.ts';
export { verify } from './verify.ts';
