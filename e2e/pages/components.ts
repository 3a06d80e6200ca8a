import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { findBrowser, openPage } from '../support/browser.ts';
import { serveComponents } from '../support/components-page.ts';
import { openPictured, PICTURES, takePictures, WIDTHS } from '../support/pictures.ts';
import { readRecorded, SAME_EVERYWHERE, serveRecorded, stopClocks } from '../support/recorded-pages.ts';
import { record } from './record.ts';

const HELP = `usage: node e2e/dist/pages/components.js [options]

Makes the pictures that components.test.ts compares with: of all components, and of each page with recorded answers.

  --only components   not those of the pages
  --record            starts a network and records the answers of its processes first`;

const { values } = parseArgs({
  options: { only: { type: 'string' }, record: { type: 'boolean' }, help: { type: 'boolean' } },
});
if (values.help === true) {
  console.log(HELP);
  process.exit(0);
}
const browser = findBrowser();
if (browser === undefined) throw new Error('no Chromium found: install chromium');
if (values.record === true) await record(browser);
mkdirSync(PICTURES, { recursive: true });
const recorded = readRecorded();
const [components, served] = await Promise.all([serveComponents(), serveRecorded(recorded)]);
const page = await openPage(browser, SAME_EVERYWHERE);
try {
  await stopClocks(page, recorded.now);
  for (const pictured of [components.page, ...(values.only === undefined ? served.pages : [])])
    for (const width of WIDTHS) {
      await openPictured(page, pictured, width);
      await takePictures(page, PICTURES, pictured.name, width);
    }
  for (const request of new Set(served.unknown)) console.error(`no recorded answer: ${request}`);
} finally {
  await page.close();
  await Promise.all([components.close(), served.close()]);
}
