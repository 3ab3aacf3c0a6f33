/** The browsable page: asks its own address for JSON, and shows it with every link clickable. */

const request = document.querySelector('#request');
const output = document.querySelector('#answer');
request.textContent = `GET ${location.pathname}${location.search}`;

try {
  const response = await fetch(location.href, { headers: { Accept: 'application/json' } });
  const shown = ['Allow', 'Content-Type', 'Vary'].map(
    (name) => `${name}: ${response.headers.get(name) ?? '–'}`,
  );
  output.append(`HTTP ${response.status} ${response.statusText}\n${shown.join('\n')}\n\n`);
  output.append(...withLinks(JSON.stringify(await response.json(), null, 4)));
} catch (error) {
  output.append(`No answer: ${error.message}`);
}

/** The text in pieces, every address in it as a link. Links of another host lead to the same path here. */
function withLinks(text) {
  return text.split(/("https?:\/\/[^"]+")/).map((piece, at) => {
    if (at % 2 === 0) return piece;
    const address = new URL(JSON.parse(piece));
    const link = document.createElement('a');
    link.href = address.pathname + address.search;
    link.textContent = piece;
    return link;
  });
}
