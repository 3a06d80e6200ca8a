import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeViolations, hasAxe } from '../support/axe.ts';
import { findBrowser, openPage, type Page } from '../support/browser.ts';
import { serveComponents } from '../support/components-page.ts';
import { findFlaws, looseLines } from '../support/page-rules.ts';
import { difference, openPictured, PICTURES, type Pictured, takePictures, WIDTHS } from '../support/pictures.ts';
import {
  type RecordedPages,
  readRecorded,
  SAME_EVERYWHERE,
  serveRecorded,
  stopClocks,
} from '../support/recorded-pages.ts';

/*
 * All components of the pages on one page, and each page with the recorded answers of a network, as users see them: compared with
 * stored pictures, which `npm run screenshots` makes again, and with the rules for every page.
 */

/** Parts in a thousand. Corners and the arrows of lists differ from machine to machine. */
const TOLERANCE = 3;
const recorded = readRecorded();
const [WIDE, PHONE] = WIDTHS;

describe.runIf(findBrowser() !== undefined)('the pages', () => {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-pictures-'));
  let components: Awaited<ReturnType<typeof serveComponents>>;
  let served: RecordedPages;
  let page: Page;
  /** Decodes pictures: it has no policy. */
  let blank: Page;

  beforeAll(async () => {
    [components, served] = await Promise.all([serveComponents(), serveRecorded(recorded)]);
    page = await openPage(findBrowser() ?? '', SAME_EVERYWHERE);
    await stopClocks(page, recorded.now);
    blank = await openPage(findBrowser() ?? '');
  });
  afterAll(async () => {
    await page?.close();
    await blank?.close();
    await Promise.all([components?.close(), served?.close()]);
    rmSync(directory, { recursive: true });
  });

  const open = (width: number, pictured: Pictured = components.page) => openPictured(page, pictured, width);
  /** Pictures of the present page that differ from the stored ones. */
  const differing = async (name: string, width: number) => {
    const found: string[] = [];
    for (const picture of await takePictures(page, directory, name, width)) {
      const [now, stored] = [directory, PICTURES].map((each) => readFileSync(join(each, picture)));
      if ((await difference(blank, now ?? Buffer.alloc(0), stored ?? Buffer.alloc(0))) >= TOLERANCE)
        found.push(picture);
    }
    return found;
  };

  test.each(WIDTHS)('all components are as pictured, %i pixels wide', async (width) => {
    await open(width);
    expect(await findFlaws(page)).toEqual([]);
    for (const dark of hasAxe() ? [true, false] : []) {
      await page.dark(dark);
      expect([dark, await axeViolations(page)]).toEqual([dark, []]);
    }
    expect(await differing('components', width)).toEqual([]);
  });

  // Defect: The start page had lines that were cut off, and nothing looked at it
  test.each(recorded.pages.flatMap(({ name }) => WIDTHS.map((width) => [name, width] as const)))(
    '%s is as pictured, %i pixels wide',
    async (name, width) => {
      await open(
        width,
        served.pages.find((each) => each.name === name),
      );
      expect(await findFlaws(page)).toEqual([]);
      if (name === 'start') expect(await looseLines(page, '.line', '.station')).toEqual([]);
      expect(await differing(name, width)).toEqual([]);
    },
  );

  test('every request of the pages has a recorded answer', () => {
    expect([...new Set(served.unknown)]).toEqual([]);
  });

  test.each([
    ['colour of links and buttons', '--accent', 'green'],
    ['ground', '--ground', 'light-dark(#ebecef, #1a1c20)'],
    ['spaces', '--space-4', '1.125rem'],
    ['corners', '--radius', '2rem'],
  ])('a change of a token is seen: %s', async (_, token, value) => {
    await open(WIDE);
    await page.evaluate(`document.documentElement.style.setProperty('${token}', '${value}')`);
    expect(await differing('components', WIDE)).toEqual(['components-1280-light.png', 'components-1280-dark.png']);
  });

  test.each([
    ['a template', 'main.append("{{ name }}")', ['shows {{', 'shows }}']],
    ['an object', 'main.append("by [object Object]")', ['shows [object']],
    ['no number', 'main.append("NaN blocks")', ['shows NaN']],
    [
      'a text that is cut off',
      'main.append(Object.assign(document.createElement("p"), { textContent: "x".repeat(999), style: "overflow-wrap: normal; overflow: clip" }))',
      [expect.stringMatching(/^cut off: x+$/)],
    ],
    [
      'too wide a part',
      'main.append(Object.assign(document.createElement("p"), { textContent: "wide", style: "width: 3000px" }))',
      ['wide'],
    ],
  ])('%s is seen', async (_, script, flaws) => {
    await open(WIDE);
    await page.evaluate(`{ const main = document.querySelector('h1').parentElement; ${script} }`);
    expect(await findFlaws(page)).toEqual(flaws);
  });

  // Defect: Items of lists lost the numbers and marks outside of their boxes
  test('a list shows its numbers, a table has dense rows with each id on one line, and placeholders are seen', async () => {
    const isSeen = `getComputedStyle(document.querySelector('main ol li')).overflow === 'visible'`;
    const rows = `[...document.querySelectorAll('[aria-label=Payments] tr')].map(({ offsetHeight }) => offsetHeight)`;
    const ids = `[...document.querySelectorAll('.id')].map(({ offsetHeight }) => offsetHeight)`;
    const unseen = `[...document.querySelectorAll('.bone')].filter((each) => {
      const ground = getComputedStyle(each.closest('.card')).backgroundColor;
      return each.clientHeight === 0 || getComputedStyle(each).backgroundColor === ground;
    }).length`;
    for (const width of WIDTHS) {
      await open(width);
      expect(await page.evaluate(isSeen)).toBe(true);
      if (width === WIDE) expect(new Set((await page.evaluate(rows)) as number[])).toEqual(new Set([36]));
      expect(Math.max(...((await page.evaluate(ids)) as number[]))).toBeLessThan(30);
      for (const dark of [false, true]) {
        await page.dark(dark);
        expect([dark, await page.evaluate(unseen)]).toEqual([dark, 0]);
      }
    }
  });

  test('a line of a drawing that is cut off is seen', async () => {
    await open(
      WIDE,
      served.pages.find(({ name }) => name === 'start'),
    );
    const clip = `document.querySelectorAll('.station').forEach((each) => each.style.overflow = 'clip')`;
    await page.evaluate(clip);
    expect(await looseLines(page, '.line', '.station')).not.toEqual([]);
  });

  test('paper has whole ids and no controls, forced colours keep tones, and twice the size fits', async () => {
    await open(WIDE);
    await page.resize(640, 400);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.medium('print');
    expect(await page.evaluate('[...document.querySelectorAll("button")].some((each) => each.checkVisibility())')).toBe(
      false,
    );
    expect(await page.evaluate('getComputedStyle(document.querySelector(".id code")).whiteSpace')).toBe('normal');
    const tone = 'getComputedStyle(document.querySelector(".place .dot")).backgroundColor';
    await page.medium('screen');
    const usual = await page.evaluate(tone);
    await page.medium('forced-colors');
    expect(await page.evaluate('matchMedia("(forced-colors: active)").matches')).toBe(true);
    expect(await page.evaluate(tone)).toBe(usual);
    await page.medium('screen');
  });

  test('the menu of a phone opens and closes with the keyboard', async () => {
    await open(PHONE);
    const isShown = () => page.evaluate('document.querySelector(".menu ul").checkVisibility()');
    await page.evaluate('document.querySelector(".menu button").focus()');
    expect(await isShown()).toBe(false);
    await page.press('Enter');
    expect(await isShown()).toBe(true);
    if (hasAxe()) expect(await axeViolations(page)).toEqual([]);
    await page.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Start');
    await page.press('Escape');
    expect(await isShown()).toBe(false);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Menu');
  });

  test('a toast is read out and leaves when it is closed', async () => {
    await open(WIDE);
    await page.evaluate('document.querySelector("section button").click()');
    await page.sees(/Sent 1 RIA\./);
    expect(await page.evaluate('document.querySelector(".toasts").role ?? ""')).toBe('status');
    await page.evaluate('document.querySelector(".toasts button").click()');
    expect(await page.evaluate('document.querySelector(".toasts").textContent')).toBe('');
  });
});
