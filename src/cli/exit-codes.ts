/** Exit codes of every command. */

export const exitCodes = { done: 0, failed: 1, usage: 2, different: 3, SIGINT: 130, SIGTERM: 143 } as const;
