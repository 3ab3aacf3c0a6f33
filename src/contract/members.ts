/** The members of a list header, in lower case. */
export const members = (value: string): string[] =>
  value.split(',').map((member) => member.trim().toLowerCase());
