/** A file for each record. */

export const data = {
  pagination: {
    data: 'lists',
    size: 1,
    alias: 'entry',
    before: (lists) => lists.flatMap(({ kind, records }) => records.map((record) => ({ kind, record }))),
  },
  permalink: ({ entry }) => `api/gamedata/${entry.kind}/${entry.record.slug}/index.json`,
  eleventyExcludeFromCollections: true,
};

export const render = ({ entry }) => JSON.stringify(entry.record);
