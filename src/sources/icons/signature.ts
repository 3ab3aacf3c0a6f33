/** The signatures of the image formats that an icon may have. */

const starts: readonly ((start: string) => boolean)[] = [
  // https://www.w3.org/TR/png-3/#5PNG-file-signature
  (start) => start.startsWith('\x89PNG\r\n\x1a\n'),
  (start) => start.startsWith('GIF87a') || start.startsWith('GIF89a'),
  (start) => start.startsWith('\xff\xd8\xff'),
  // https://developers.google.com/speed/webp/docs/riff_container
  (start) => start.startsWith('RIFF') && start.slice(8) === 'WEBP',
];

export function isImage(body: Uint8Array): boolean {
  const start = Buffer.from(body.subarray(0, 12)).toString('latin1');
  return starts.some((fits) => fits(start));
}
