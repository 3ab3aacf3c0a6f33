/** Measures subjects in alternation, so that whatever slows the machine down for a while slows all of them. */

import { execFileSync } from 'node:child_process';
import type { Run, Runner } from './runner.ts';

/** A program that is measured as a whole process. */
export interface Subject {
  readonly name: string;
  readonly command: readonly string[];
  readonly cwd?: string;
  /** Done before and after each run, and not timed. */
  prepare?(): void;
  cleanUp?(): void;
  /** Figures of its own from what it printed. */
  read?(stdout: string): Facts;
}

export interface Facts {
  readonly written?: number;
  readonly requests?: number;
  /** How often a file was not there. */
  readonly missing?: number;
}

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export interface Summary extends Facts {
  readonly seconds: Spread;
  readonly cpuSeconds: Spread;
  readonly megabytes: Spread;
  readonly rounds: number;
}

export interface Measuring {
  readonly runner: Runner;
  readonly rounds: number;
  /** Whose file system is to have resolved before each run. */
  readonly folder: string;
}

/** A first round, which warms caches up, is not counted if rounds are short enough to have several. */
export async function measure(
  subjects: readonly Subject[],
  { runner, rounds, folder }: Measuring,
): Promise<Map<string, Summary>> {
  const runs = new Map<string, Run[]>(subjects.map(({ name }) => [name, []]));
  for (let round = rounds > 3 ? -1 : 0; round < rounds; round++) {
    for (const { name, command, cwd, prepare, cleanUp } of subjects) {
      prepare?.();
      execFileSync('sync', ['-f', folder]);
      const run = await runner.run(command, cwd);
      cleanUp?.();
      if (round >= 0) runs.get(name)?.push(run);
    }
  }
  return new Map(subjects.map((subject) => [subject.name, summarise(subject, runs.get(subject.name) ?? [])]));
}

function summarise({ read }: Subject, runs: readonly Run[]): Summary {
  const facts = mostOf(runs.map(({ stdout }) => read?.(stdout) ?? {}));
  return {
    rounds: runs.length,
    seconds: spread(runs.map(({ seconds }) => seconds)),
    cpuSeconds: spread(runs.map(({ cpuSeconds }) => cpuSeconds)),
    megabytes: spread(runs.map(({ megabytes }) => megabytes)),
    ...facts,
  };
}

/** The largest of each figure: what must never happen shows in any round. */
function mostOf(all: readonly Facts[]): Facts {
  const facts: Record<string, number> = {};
  for (const [name, value] of all.flatMap((one) => Object.entries(one)))
    facts[name] = Math.max(value, facts[name] ?? value);
  return facts;
}

function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const median = ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
  return { median, min: sorted[0] ?? 0, max: sorted.at(-1) ?? 0 };
}
