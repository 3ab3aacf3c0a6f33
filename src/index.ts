export { type BuildOptions, build } from './cli/commands/build.ts';
export { type DiffOptions, diff } from './cli/commands/diff.ts';
export {
  type MirrorOptions,
  type MirrorReport,
  mirror,
} from './cli/commands/mirror.ts';
export { type ServeOptions, type SiteServer, serve } from './cli/commands/serve.ts';
export { type SnapshotOptions, snapshot } from './cli/commands/snapshot.ts';
export { type VerifyOptions, verify } from './cli/commands/verify.ts';
export type { SourceOptions } from './cli/source-options.ts';
export type { Comparison } from './contract/changes.ts';
export type { Kind } from './contract/kinds.ts';
export type { LinkStyle } from './contract/paths.ts';
export type { Item, Move } from './contract/records.ts';
export { GamedataError, type GamedataErrorCode } from './errors.ts';
export type { HostName } from './hosts/index.ts';
export type {
  BuildReport,
  ChangesReport,
  DataReport,
  FilesReport,
  Report,
  SiteReport,
  WarningGroup,
} from './pipeline/report.ts';
export type { Progress, SourceName, Watchers } from './upstream/source.ts';
export type { DeploymentReport, GuaranteeResult } from './verify/deployment.ts';
export type { FolderReport } from './verify/folder.ts';
export type { VerifyProgress } from './verify/progress.ts';
