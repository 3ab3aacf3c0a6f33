/** The public API. */

export { type ArchiveOptions, type ArchiveReport, archive } from './commands/archive.ts';
export { type BuildOptions, type BuildReport, build } from './commands/build.ts';
export { type DiffOptions, diff } from './commands/diff.ts';
export { type MirrorOptions, type MirrorReport, mirror } from './commands/mirror.ts';
export { type RebaseOptions, type RebaseReport, rebase } from './commands/rebase.ts';
export type { Report, WarningGroup } from './commands/report.ts';
export { type ServeOptions, type SiteServer, serve } from './commands/serve.ts';
export { type SnapshotOptions, snapshot } from './commands/snapshot.ts';
export type { SourceOptions } from './commands/source-options.ts';
export { type VerifyOptions, verify } from './commands/verify.ts';
export type { Comparison } from './contract/changes.ts';
export type { Kind } from './contract/kinds.ts';
export type { LinkStyle } from './contract/paths.ts';
export type { Item, Move } from './contract/records.ts';
export { DataError, GamedataError, OutputError, UpstreamError, UsageError } from './errors.ts';
export type { HostName } from './hosts/names.ts';
export type { Limits } from './server/server.ts';
export type { Watchers } from './sources/capture.ts';
export type { Progress, SourceName } from './sources/source.ts';
export type { DeploymentReport, GuaranteeResult } from './verify/deployment.ts';
export type { FolderReport, Problem } from './verify/folder.ts';
