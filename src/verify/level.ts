/** The levels of verification. */

/** `static`: the guarantees of every host. `full`: the whole contract, which only hosts that run code support. */
export const levels = ['static', 'full'] as const;
export type Level = (typeof levels)[number];
