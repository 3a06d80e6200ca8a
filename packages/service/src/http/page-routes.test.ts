import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Hono } from 'hono';
import { afterAll, expect, test } from 'vitest';
import { pageRoutes } from './page-routes.ts';

const directory = mkdtempSync(join(tmpdir(), 'switchyard-page-'));
mkdirSync(join(directory, 'assets'));
writeFileSync(join(directory, 'index.html'), '<title>chat</title>');
writeFileSync(join(directory, 'assets', 'main-1234Ab_8.js'), 'run()');
writeFileSync(join(directory, 'manifest.webmanifest'), '{}');
writeFileSync(join(directory, 'notes.txt'), 'not for the web');
afterAll(() => rmSync(directory, { recursive: true }));

const served = (path: string) => {
  const app = new Hono();
  pageRoutes(app, directory);
  return app.request(path);
};

test.each([
  ['/', 'text/html; charset=utf-8', 'no-cache', '<title>chat</title>'],
  ['/assets/main-1234Ab_8.js', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable', 'run()'],
  ['/manifest.webmanifest', 'application/manifest+json', 'no-cache', '{}'],
])('serves %s', async (path, type, cached, body) => {
  const answer = await served(path);
  expect(answer.headers.get('content-type')).toBe(type);
  expect(answer.headers.get('cache-control')).toBe(cached);
  expect(answer.headers.get('content-security-policy')).toMatch(/default-src 'none'.*manifest-src 'self'/);
  expect(await answer.text()).toBe(body);
});

test('a client that takes it gets the compressed file', async () => {
  const app = new Hono();
  pageRoutes(app, directory);
  const answer = await app.request('/assets/main-1234Ab_8.js', { headers: { 'accept-encoding': 'br, gzip' } });
  expect(answer.headers.get('content-encoding')).toBe('gzip');
  expect(answer.headers.get('vary')).toContain('accept-encoding');
  expect(gunzipSync(await answer.arrayBuffer()).toString()).toBe('run()');
  expect((await served('/')).headers.get('content-encoding')).toBeNull();
});

test('scripts of a page may call its own origin, and the others that it is given', async () => {
  const getPolicy = async (connectTo?: readonly string[]) => {
    const app = new Hono();
    pageRoutes(app, directory, connectTo && { connectTo });
    return (await app.request('/')).headers.get('content-security-policy');
  };
  expect(await getPolicy()).toContain("connect-src 'self';");
  expect(await getPolicy(['https://faucet.example'])).toContain("connect-src 'self' https://faucet.example;");
});

test.each(['/notes.txt', '/../package.json', '/assets/%2e%2e/notes.txt'])('does not serve %s', async (path) => {
  expect((await served(path)).status).toBe(404);
});

test('where no page is built there is none', async () => {
  const app = new Hono();
  pageRoutes(app, join(directory, 'absent'));
  expect((await app.request('/')).status).toBe(404);
});
