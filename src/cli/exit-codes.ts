export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  different: 3,
  /** A guard refused the data. */
  refused: 4,
  /** The site is published, but a check, an archive or a command failed afterwards. */
  unfinished: 5,
  SIGINT: 130,
  SIGTERM: 143,
} as const;
