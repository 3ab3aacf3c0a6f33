/** A file for each list page. */

const PAGE_SIZE = 100;

export const data = {
  pagination: { data: 'lists', size: 1, alias: 'listPage', before: (lists) => lists.flatMap(pagesOf) },
  permalink: ({ listPage: { kind, offset } }) =>
    `api/gamedata/${kind}/${offset === 0 ? '' : `offset/${offset}/`}index.json`,
  eleventyExcludeFromCollections: true,
};

export const render = ({ listPage }) => JSON.stringify(listPage.body);

function pagesOf({ kind, site, records }) {
  const link = (offset) =>
    offset < 0 || offset >= records.length
      ? null
      : `${site}/${kind}/?format=api&limit=${PAGE_SIZE}&offset=${offset}`;
  return Array.from({ length: Math.ceil(records.length / PAGE_SIZE) }, (_, at) => {
    const offset = at * PAGE_SIZE;
    const results = records.slice(offset, offset + PAGE_SIZE);
    const [next, previous] = [link(offset + PAGE_SIZE), link(offset - PAGE_SIZE)];
    return { kind, offset, body: { count: records.length, next, previous, results } };
  });
}
