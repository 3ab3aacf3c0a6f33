/** Removed options → what replaces them. */
export const removedOptions: ReadonlyMap<string, string> = new Map([
  [
    'on-change',
    `Run the command from the shell:
  gamedata build --json > report.json
  grep -q '"changed":true' report.json && <command>`,
  ],
]);
