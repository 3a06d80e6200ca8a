import { createReadStream, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { axeViolations, hasAxe } from '../support/axe.ts';
import { findBrowser, openPage, type Page } from '../support/browser.ts';
import { root } from '../support/network.ts';
import { findFlaws } from '../support/page-rules.ts';
import { WIDTHS } from '../support/pictures.ts';

/* Looks at the built documentation site as readers do, and fails on a flaw: a part of `npm run site`, if there is a browser. */

const browser = findBrowser();
if (browser === undefined) {
  console.log('the site is not looked at: no Chromium found');
  process.exit(0);
}
const SITE = join(root, 'dist', 'site');
const WITH_COMMANDS = 'tutorials/first-message';
/** One page of each kind: the entry, commands, tables, a long page, figures, and the API. */
const PATHS = ['index', WITH_COMMANDS, 'reference/settings', 'architecture', 'measurements/index', 'api/index'];
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/** The other rules of axe find faults of the theme, which are not ours. */
const findLowContrast = async (page: Page): Promise<readonly string[]> =>
  (await axeViolations(page)).flatMap(([id, parts]) => (id === 'color-contrast' ? [`low contrast: ${parts}`] : []));

const server = createServer(({ url = '/' }, response) => {
  const { pathname } = new URL(url, 'http://localhost');
  const path = join(SITE, pathname);
  if (!path.startsWith(SITE) || extname(path) === '' || !existsSync(path)) return response.writeHead(404).end();
  response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'application/octet-stream' });
  return createReadStream(path).pipe(response);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo; // it listens
const page = await openPage(browser);
const flaws: string[] = [];
try {
  for (const path of PATHS)
    for (const width of WIDTHS) {
      await page.resize(width, 800);
      await page.open('about:blank');
      await page.open(`http://127.0.0.1:${port}/${path}.html`);
      await page.sees(/\S/);
      for (const dark of [false, true]) {
        await page.dark(dark);
        const found = await findFlaws(page, 'pre, code');
        const low = hasAxe() && path === WITH_COMMANDS ? await findLowContrast(page) : [];
        for (const flaw of [...found, ...low]) flaws.push(`${path}, ${width} pixels wide: ${flaw}`);
      }
    }
} finally {
  await page.close();
  server.close();
  server.closeAllConnections();
}
for (const flaw of new Set(flaws)) console.error(flaw);
process.exitCode = flaws.length === 0 ? 0 : 1;
