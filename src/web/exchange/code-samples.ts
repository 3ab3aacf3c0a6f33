import type { Kind } from '../../contract/kinds.ts';

export interface CodeSample {
  readonly id: string;
  readonly label: string;
  readonly code: string;
}

/** Creates the code that requests a record, in each programming language. */
export function createCodeSamples(url: string, kind: Kind): readonly CodeSample[] {
  const javascript = [
    `const response = await fetch('${url}');`,
    `const ${kind} = await response.json();`,
  ];
  const python = [
    'import json, urllib.request',
    `${kind} = json.load(urllib.request.urlopen("${url}"))`,
  ];
  return [
    { id: 'curl', label: 'curl', code: `curl ${url}` },
    { id: 'javascript', label: 'JavaScript', code: javascript.join('\n') },
    { id: 'python', label: 'Python', code: python.join('\n') },
  ];
}
