import { kindNames } from '../../src/contract/kinds.ts';
import { answersOf, type UpstreamData } from './upstream-data.ts';

/**
 * Derives the data of a later day, which the guard accepts: the last record of each
 * kind is gone, the first has another slug, and the second has another English name.
 */
export function createSecondNight(data: UpstreamData): UpstreamData {
  const texts = new Map<string, string>();
  const lists = new Map<string, { id: number; name: string }[]>();
  for (const kind of kindNames) {
    const [first, second, ...others] = answersOf(data, kind).slice(0, -1);
    if (!first || !second) continue;
    const names = second.names.map((name) => ({ ...name, name: `${name.name} II` }));
    const answers = [
      { ...first, name: `${first.name}-renamed` },
      { ...second, names },
      ...others,
    ];
    lists.set(
      kind,
      answers.map(({ id, name }) => ({ id, name })),
    );
    for (const answer of answers) {
      texts.set(`${kind}/${answer.id}`, JSON.stringify(answer));
    }
  }
  return {
    name: data.name,
    list: (kind) => lists.get(kind) ?? data.list(kind),
    record: (kind, id) => texts.get(`${kind}/${id}`),
  };
}
