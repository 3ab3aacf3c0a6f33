/**
 * GitHub Pages: files at their own paths, and one page for every address that does not exist. Queries are ignored, so links
 * have to point to files: https://docs.github.com/pages
 */

import { guaranteeNames, guarantees } from '../contract/guarantees.ts';
import { pathOf } from '../contract/paths.ts';
import type { Host } from './host.ts';

export const githubPages: Host = {
  summary: 'static files: built pages and records, at the URLs of their files',
  unsupported: guaranteeNames.filter(
    (name) => guarantees[name].needs !== 'files' && !['etag', 'cors', 'compression'].includes(name),
  ),
  files: ({ baseUrl }) => [
    // Otherwise files whose names start with an underscore would be missing.
    { path: '.nojekyll', body: '' },
    { path: '404.html', body: notFound(`${pathOf(baseUrl)}/`) },
  ],
};

/** @param root the path of the front page, with a trailing slash */
const notFound = (root: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Not found · gamedata</title>
<link rel="stylesheet" href="${root}style.css">
</head>
<body>
<header class="bar"><a class="name" href="${root}">gamedata</a></header>
<main>
<h1>Not found</h1>
<p>There is nothing at this address. Lists, records and their addresses: <a href="${root}">front page</a>.</p>
</main>
</body>
</html>
`;
