import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import { afterAll, expect, test } from 'vitest';
import { pageRoutes } from './page-routes.ts';

const directory = mkdtempSync(join(tmpdir(), 'switchyard-page-'));
mkdirSync(join(directory, 'assets'));
writeFileSync(join(directory, 'index.html'), '<title>chat</title>');
writeFileSync(join(directory, 'assets', 'main-1234.js'), 'run()');
writeFileSync(join(directory, 'notes.txt'), 'not for the web');
afterAll(() => rmSync(directory, { recursive: true }));

const served = (path: string) => {
  const app = new Hono();
  pageRoutes(app, directory);
  return app.request(path);
};

test.each([
  ['/', 'text/html; charset=utf-8', 'no-cache', '<title>chat</title>'],
  ['/assets/main-1234.js', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable', 'run()'],
])('serves %s', async (path, type, cached, body) => {
  const answer = await served(path);
  expect(answer.headers.get('content-type')).toBe(type);
  expect(answer.headers.get('cache-control')).toBe(cached);
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await answer.text()).toBe(body);
});

test.each(['/notes.txt', '/../package.json', '/assets/%2e%2e/notes.txt'])('does not serve %s', async (path) => {
  expect((await served(path)).status).toBe(404);
});

test('where no page is built there is none', async () => {
  const app = new Hono();
  pageRoutes(app, join(directory, 'absent'));
  expect((await app.request('/')).status).toBe(404);
});
