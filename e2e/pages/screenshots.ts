import { statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findBrowser, openPage } from '../support/browser.ts';
import { createNetwork, root } from '../support/network.ts';
import { getPages } from './pages.ts';

const HELP = `usage: node e2e/dist/pages/screenshots.js [options]

Starts a network of its own, uses it a little, and writes pictures of its pages: light, dark, and as on a phone.

  --out DIRECTORY   default: docs/images
  --only NAMES      comma-separated; default: those that the documentation shows`;

/** Pages that the documentation has pictures of. */
const SHOWN = ['start', 'start-flow', 'explorer', 'explorer-evm-transaction', 'reference'];
/** Names, sizes of the window, colours. */
const FORMS = [
  ['light', 1_200, 780, false, 0.9],
  ['dark', 1_200, 780, true, 0.9],
  // Phones have two points for each pixel.
  ['phone', 390, 780, false, 0.7],
] as const;

const { values } = parseArgs({
  options: { out: { type: 'string' }, only: { type: 'string' }, help: { type: 'boolean' } },
});
if (values.help === true) {
  console.log(HELP);
  process.exit(0);
}
const browser = findBrowser();
if (browser === undefined) throw new Error('no Chromium found: install chromium');
const out = values.out ?? join(root, 'docs', 'images');
const only = values.only?.split(',') ?? SHOWN;

const network = await createNetwork({
  instance: 'pictures',
  init: ['--template', 'messenger,evm', '--data-availability', 'local'],
});
try {
  await network.start('local', [], 120_000);
  const pages = (await getPages(network)).filter(({ name }) => only.includes(name));
  // A scrollbar that goes while a picture is taken would move what is pictured.
  const page = await openPage(browser, ['--hide-scrollbars']);
  try {
    for (const { name, url, shows, part } of pages) {
      for (const [form, width, height, dark, scale] of FORMS) {
        await page.resize(width, height);
        await page.dark(dark);
        // From the beginning: another address of the same document would only be scrolled to.
        await page.open('about:blank');
        await page.open(url);
        await page.sees(shows, 60_000);
        const path = join(out, `${name}-${form}.png`);
        await page.screenshot(path, { scale, of: part });
        console.log(`${path} ${Math.round(statSync(path).size / 1_000)} kB`);
      }
    }
  } finally {
    await page.close();
  }
} finally {
  await network.dispose();
}
