/** Loaded before the command line: shifts the clock by milliseconds. */

const now = Date.now;
Date.now = () => now() + Number(process.env.CLOCK_SHIFT ?? 0);
