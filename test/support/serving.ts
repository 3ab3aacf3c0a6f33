import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { type ServeOptions, serve } from '../../src/cli/commands/serve.ts';
import type { SiteFile } from '../../src/contract/meta.ts';
import { publishFiles } from './publishing.ts';
import { rawRecords, siteOf } from './sites.ts';
import { temporaryFolder } from './temporary.ts';

/** Less than half of a test's limit, so that a test may wait twice. */
const WAIT_MS = 12_000;

/**
 * Creates the options with which `expect.poll` waits for an effect of a server or of
 * a new site. If the effect does not occur, the error names it.
 */
export function waitUntil(effect: string) {
  return { timeout: WAIT_MS, message: `waited ${WAIT_MS} ms until ${effect}` };
}

export const PAGE: SiteFile = {
  path: 'index.html',
  body: '<!doctype html><title>gamedata</title>',
};

interface SiteContent {
  readonly moves?: number | undefined;
  readonly baseUrl?: string | undefined;
  readonly extras?: readonly SiteFile[] | undefined;
}

/** Publishes a site with plain records: some moves and three items. */
export async function publishSite(
  folder: string,
  { moves = 3, extras = [PAGE], baseUrl }: SiteContent = {},
): Promise<void> {
  const site = siteOf(rawRecords(moves, 3), { extras, baseUrl });
  await publishFiles(folder, site.files());
}

/** Publishes a site in a new folder. */
export async function publishNewSite(content?: SiteContent): Promise<string> {
  const folder = path.join(temporaryFolder(), 'site');
  await publishSite(folder, content);
  return folder;
}

/** Publishes a site, and serves it until the test ends. */
export async function serveSite({
  moves,
  extras,
  baseUrl,
  ...options
}: ServeOptions & SiteContent = {}) {
  const folder = await publishNewSite({ moves, extras, baseUrl });
  const problems: string[] = [];
  const server = await serve({
    dir: folder,
    port: 0,
    onProblem: (line) => problems.push(line),
    ...options,
  });
  onTestFinished(() => server.close());
  return { ...server, folder, problems, port: Number(new URL(server.url).port) };
}

export async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  // Some tests expect the server to reset connections.
  socket.on('error', () => {});
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  return socket;
}

export async function readAll(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk;
  });
  await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

/** Sends text unchanged, and reads until the connection is closed. */
export async function sendText(port: number, sent: string) {
  const socket = await openSocket(port);
  socket.write(sent, 'latin1');
  const text = await readAll(socket);
  return {
    text,
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]),
    location: /^location: (.*)\r$/im.exec(text)?.[1],
    body: text.slice(text.indexOf('\r\n\r\n') + 4),
  };
}

/** Sends a request with an unchanged target. */
export const sendTarget = (
  port: number,
  target: string,
  method = 'GET',
  headers = '',
) =>
  sendText(
    port,
    `${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`,
  );
