/** How much of the contract a deployment is held to. */

/** `static`: what every host of ours keeps. `full`: the whole contract, which only hosts that run code keep. */
export const levels = ['static', 'full'] as const;
export type Level = (typeof levels)[number];
