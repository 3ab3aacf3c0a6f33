/** The parts of a torture: runs one after the other, prints how each ended, and the sums in the end. */

export interface Ended {
  /** How many faults, kills or requests there were. */
  readonly tried: number;
  /** What they were, and how they ended. */
  readonly says: string;
  readonly problems?: readonly string[];
}

export function createParts() {
  const started = performance.now();
  const failed: string[] = [];
  const sums: string[] = [];
  const seconds = (since: number): string => `${Math.round((performance.now() - since) / 1000)} s`;

  return {
    /** Runs a part; one that throws has failed, and the others are run all the same. */
    async part(name: string, work: () => Promise<Ended>): Promise<void> {
      const begun = performance.now();
      let ended: Ended;
      try {
        ended = await work();
      } catch (error) {
        const problem = error instanceof Error ? error.message : String(error);
        ended = { tried: 0, says: 'ended early', problems: [problem] };
      }
      const { tried, says, problems = [] } = ended;
      for (const problem of problems) console.error(`  ${problem}`);
      if (problems.length > 0) failed.push(name);
      const count = tried.toLocaleString('en');
      sums.push(`${count} ${name}`);
      const problem = problems.length > 0 ? `, ${problems.length} PROBLEMS` : '';
      console.log(`${name}: ${count} ${says}${problem} (${seconds(begun)})`);
    },
    /** Prints the sums, and returns the exit code. */
    end(): 0 | 1 {
      const verdict = failed.length === 0 ? 'all survived' : `FAILED: ${failed.join(', ')}`;
      console.log(`torture: ${sums.join(' · ')}: ${verdict} (${seconds(started)})`);
      return failed.length === 0 ? 0 : 1;
    },
  };
}
