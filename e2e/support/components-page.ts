import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { httpApp, pageRoutes, serveHttp } from '@switchyard/service';
import { useBoxFont } from './box-font.ts';
import { openPage, type Page } from './browser.ts';
import { root } from './network.ts';

/** Stored pictures of the components. */
export const PICTURES = join(root, 'e2e', 'pictures');
/** Name of the picture, width of the window, whether the colours are dark. */
export const PICTURE_FORMS = [
  ['components-1280-light', 1_280, false],
  ['components-1280-dark', 1_280, true],
  ['components-390-light', 390, false],
  ['components-390-dark', 390, true],
] as const;
/** Pixels of a picture for one of the page. */
const SCALE = 0.25;

const PAGES = {
  network: 'local',
  pages: [
    { kind: 'start', title: 'Start', url: 'http://127.0.0.1:3000' },
    { kind: 'chat', title: 'Chat', url: 'http://127.0.0.1:3030' },
    { kind: 'faucet', title: 'Faucet', url: 'http://127.0.0.1:3031' },
  ],
} as const;

/** The page of all components in a browser, served as processes serve their pages. */
export interface ComponentsPage {
  readonly page: Page;
  /** Opens it again in a form. */
  open(width: number, dark: boolean): Promise<void>;
  /** Writes its picture, with boxes in place of letters. */
  picture(path: string): Promise<void>;
  close(): Promise<void>;
}

export async function openComponentsPage(browser: string): Promise<ComponentsPage> {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-components-'));
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const args = [
    vite,
    'build',
    '--logLevel',
    'warn',
    '--mode',
    'testing/components',
    '--outDir',
    directory,
    '--emptyOutDir',
  ];
  execFileSync(process.execPath, args, { cwd: join(root, 'packages', 'web') });
  const app = httpApp();
  pageRoutes(app, directory, { pages: PAGES });
  const http = await serveHttp({ listen: { host: '127.0.0.1', port: 0 }, name: 'components', app });
  const page = await openPage(browser);
  let width = 0;
  return {
    page,
    async open(w, dark) {
      width = w;
      await page.resize(width, 800);
      await page.dark(dark);
      await page.open('about:blank');
      await page.open(http.url);
      await page.sees(/block 1,234[\s\S]*The same as JSON/);
      await page.sees(width < 600 ? /Menu/ : /Faucet/);
    },
    async picture(path) {
      await page.evaluate(useBoxFont);
      await page.evaluate('for (const each of document.getAnimations()) each.cancel()');
      const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
      await page.resize(width, height);
      await page.screenshot(path, { scale: width < 600 ? SCALE / 2 : SCALE });
    },
    async close() {
      await page.close();
      await http.close();
      rmSync(directory, { recursive: true });
    },
  };
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
