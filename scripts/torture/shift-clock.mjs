/** Loaded before the command line: another time than the machine's, by so many milliseconds. */

const real = Date.now;
Date.now = () => real() + Number(process.env.CLOCK_SHIFT ?? 0);
