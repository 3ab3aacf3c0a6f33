import type { ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { type ClientOptions, createClient, type HttpClient } from '../../src/http/client.ts';

/** Retries twice, almost immediately. */
export function testClient(options: Partial<ClientOptions> = {}): HttpClient {
  const client = createClient({ concurrency: 4, retries: 2, retryBaseMs: 1, ...options });
  onTestFinished(() => client.close());
  return client;
}

type Answer = (response: ServerResponse) => void;

export const ok: Answer = (response) => response.end('{"ok":true}');

export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(code, headers).end('{}');

export const body =
  (content: string | Buffer, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(200, headers).end(content);

export const truncated: Answer = (response) => {
  response.writeHead(200, { 'content-length': '100' }).write('{"ok":');
  setTimeout(() => response.destroy(), 5);
};

export const reset: Answer = (response) => response.socket?.resetAndDestroy();

export const silent: Answer = () => {};

export const stalled: Answer = (response) => response.writeHead(200, { 'content-length': '100' }).write('{');
