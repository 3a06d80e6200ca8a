import { join } from 'node:path';
import { useBoxFont } from './box-font.ts';
import type { Page } from './browser.ts';
import { root, until } from './network.ts';

/** Directory of the stored pictures. */
export const PICTURES = join(root, 'e2e', 'pictures');
/** Widths of the window, in pixels. */
export const WIDTHS = [1_280, 390] as const;
export const THEMES = ['light', 'dark'] as const;
/** Pixels of a picture for one of the page. */
const SCALE = 0.25;
/** More of a long page repeats what is above. */
const MAX_HEIGHT = 2_400;

/** A page that is pictured. */
export interface Pictured {
  readonly name: string;
  readonly url: string;
  /** Parts that are there once it is complete. */
  readonly shows: RegExp;
}

/**
 * Opens a page in light colours, with boxes in place of letters, and waits until it is complete.
 *
 * @param page Its clocks are stopped (`stopClocks`).
 */
export async function openPictured(page: Page, { url, shows }: Pictured, width: number): Promise<void> {
  await page.resize(width, 800);
  await page.dark(false);
  // From the beginning: another address of the same document would only be scrolled to.
  await page.open('about:blank');
  await page.open(url);
  await page.sees(shows);
  await page.evaluate(useBoxFont);
  let before = '';
  await until(
    `${url} changes no more`,
    async () => {
      const now = String(
        await page.evaluate(
          '[requestsUnderWay, document.documentElement.scrollHeight, document.body.innerHTML].join()',
        ),
      );
      const isSame = now === before && now.startsWith('0,');
      before = now;
      return isSame || undefined;
    },
    10_000,
    100,
  );
}

/** Ends all movement, also that from one theme to the other; a head that sticks is a layer, which is drawn a part of a pixel off at times. */
const STILL = `(() => {
  const still = new CSSStyleSheet();
  still.replaceSync(
    '*, *::before, *::after { animation: none !important; transition: none !important; } ' +
      '.page-header { position: static !important; }'
  );
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, still];
})()`;
/** Once the page was drawn with what has changed. */
const DRAWN = 'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn())))';

/**
 * Writes the pictures of the present page into a directory, one for each theme.
 *
 * @param width Of the window.
 * @returns their names.
 */
export async function takePictures(page: Page, directory: string, name: string, width: number): Promise<string[]> {
  await page.evaluate(STILL);
  const height = Number(await page.evaluate('scrollTo(0, 0), document.documentElement.scrollHeight'));
  await page.resize(width, Math.min(height, MAX_HEIGHT));
  const names: string[] = [];
  for (const theme of THEMES) {
    await page.dark(theme === 'dark');
    await page.evaluate(DRAWN);
    const picture = `${name}-${width}-${theme}.png`;
    await page.screenshot(join(directory, picture), { scale: width < 600 ? SCALE / 2 : SCALE });
    names.push(picture);
  }
  return names;
}

/**
 * Parts in a thousand of two pictures that differ visibly: the pixels in which a colour differs by more than a fortieth. All of them
 * where the sizes differ.
 *
 * @param page Any page without a policy; its browser decodes the pictures.
 */
export async function difference(page: Page, one: Buffer, other: Buffer): Promise<number> {
  const decode = (png: Buffer) => `pixels(${JSON.stringify(`data:image/png;base64,${png.toString('base64')}`)})`;
  const script = `(async () => {
    const pixels = async (url) => {
      const bitmap = await createImageBitmap(await (await fetch(url)).blob());
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
      context.drawImage(bitmap, 0, 0);
      return context.getImageData(0, 0, bitmap.width, bitmap.height);
    };
    const [one, other] = [await ${decode(one)}, await ${decode(other)}];
    if (one.width !== other.width || one.height !== other.height) return 1000;
    let differing = 0;
    for (let at = 0; at < one.data.length; at += 4) {
      if ([0, 1, 2].some((each) => Math.abs(one.data[at + each] - other.data[at + each]) > 6)) differing += 1;
    }
    return (1000 * differing) / (one.width * one.height);
  })()`;
  return Number(await page.evaluate(script));
}
