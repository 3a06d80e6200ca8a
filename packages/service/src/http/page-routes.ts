import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context, Hono } from 'hono';
import { pageHeaders } from '../access/headers.ts';
import type { NetworkPages } from '../settings/network-pages.ts';
import { packedAnswer } from './packed-answer.ts';

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  webmanifest: 'application/manifest+json',
};

const NO_PAGES = { network: '', pages: [] };

/** Names into which Vite puts a hash of the content. */
const HASHED = /-[\w-]{8}\.\w+$/;

export interface PageOptions {
  /** Path of the page without a slash at its end; empty, if absent. */
  readonly at?: string;
  /** Origins of other services that its scripts may call. */
  readonly connectTo?: readonly string[];
  /** The pages of its network, for its menu: `/pages.json`. */
  readonly pages?: NetworkPages | undefined;
}

/**
 * Serves a page, such as one that Vite built. Its files are few and small: read at once, and compressed on their first request.
 *
 * @param directory The directory of the files. If it is absent, nothing is served.
 */
export function pageRoutes(
  app: Hono,
  directory: string,
  { at = '', connectTo = [], pages = NO_PAGES }: PageOptions = {},
): void {
  if (!existsSync(directory)) return;
  app.get('/pages.json', (c) => c.json(pages, 200, { 'cache-control': 'no-cache' }));
  const policy = pageHeaders(connectTo);
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)];
    if (type === undefined) continue;
    const body = new Uint8Array(readFileSync(join(directory, name)));
    const cached = HASHED.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache';
    const packed = packedAnswer(body, { 'content-type': type, 'cache-control': cached, ...policy });
    const answer = (c: Context) => packed(c.req.header('accept-encoding'));
    app.get(`${at}/${name.replaceAll('\\', '/')}`, answer);
    if (name === 'index.html') app.get(at === '' ? '/' : at, answer);
  }
}
