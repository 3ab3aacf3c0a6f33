/** Creates a file for each record and list page. */

export const data = {
  pagination: { data: 'files', size: 1, alias: 'file' },
  permalink: ({ file }) => `api/gamedata/${file.folder}index.json`,
  eleventyExcludeFromCollections: true,
};

export const render = ({ file }) => JSON.stringify(file.body);
