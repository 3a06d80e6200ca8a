import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findBrowser } from '../support/browser.ts';
import { openComponentsPage, PICTURE_FORMS, PICTURES } from '../support/components-page.ts';

/* The pictures that `components.test.ts` compares with: `node e2e/dist/pages/components.js`. */

const browser = findBrowser();
if (browser === undefined) throw new Error('no Chromium found: install chromium');
mkdirSync(PICTURES, { recursive: true });
const components = await openComponentsPage(browser);
try {
  for (const [name, width, dark] of PICTURE_FORMS) {
    await components.open(width, dark);
    await components.picture(join(PICTURES, `${name}.png`));
  }
} finally {
  await components.close();
}
