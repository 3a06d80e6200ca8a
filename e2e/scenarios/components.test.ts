import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeViolations, hasAxe } from '../support/axe.ts';
import { findBrowser, openPage, type Page } from '../support/browser.ts';
import {
  type ComponentsPage,
  difference,
  openComponentsPage,
  PICTURE_FORMS,
  PICTURES,
} from '../support/components-page.ts';

/** All components of the pages on one page, as users see them, compared with stored pictures: `npm run screenshots` makes new ones. */

/** Parts in a thousand. Corners and the arrows of lists differ from machine to machine. */
const TOLERANCE = 3;

describe.runIf(findBrowser() !== undefined)('the components', () => {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-pictures-'));
  let components: ComponentsPage;
  let page: Page;
  /** Decodes pictures: it has no policy. */
  let blank: Page;

  beforeAll(async () => {
    components = await openComponentsPage(findBrowser() ?? '');
    page = components.page;
    blank = await openPage(findBrowser() ?? '');
  });
  afterAll(async () => {
    await components?.close();
    await blank?.close();
    rmSync(directory, { recursive: true });
  });

  const differs = async (name: string) => {
    const path = join(directory, `${name}.png`);
    await components.picture(path);
    return difference(blank, readFileSync(path), readFileSync(join(PICTURES, `${name}.png`)));
  };

  test.each(PICTURE_FORMS)('look like their picture %s', async (name, width, dark) => {
    await components.open(width, dark);
    expect(await differs(name)).toBeLessThan(TOLERANCE);
  });

  test.each([
    ['colour of links and buttons', '--accent', 'green'],
    ['ground', '--ground', 'light-dark(#ebecef, #1a1c20)'],
    ['spaces', '--space-4', '1.125rem'],
    ['corners', '--radius', '2rem'],
  ])('a change of a token is seen: %s', async (_, token, value) => {
    await components.open(1_280, false);
    await page.evaluate(`document.documentElement.style.setProperty('${token}', '${value}')`);
    expect(await differs('components-1280-light')).toBeGreaterThan(TOLERANCE);
  });

  test.runIf(hasAxe()).each(PICTURE_FORMS)('have no fault that axe finds: %s', async (_, width, dark) => {
    await components.open(width, dark);
    expect(await axeViolations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
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
    for (const [, width, dark] of PICTURE_FORMS) {
      await components.open(width, dark);
      expect(await page.evaluate(isSeen)).toBe(true);
      if (width === 1_280) expect(new Set((await page.evaluate(rows)) as number[])).toEqual(new Set([36]));
      expect(Math.max(...((await page.evaluate(ids)) as number[]))).toBeLessThan(30);
      expect(await page.evaluate(unseen)).toBe(0);
    }
  });

  test('the menu of a phone opens and closes with the keyboard', async () => {
    await components.open(390, false);
    const isShown = () => page.evaluate('document.querySelector(".menu ul").checkVisibility()');
    await page.evaluate('document.querySelector(".menu button").focus()');
    expect(await isShown()).toBe(false);
    await page.press('Enter');
    expect(await isShown()).toBe(true);
    expect(await axeViolations(page)).toEqual([]);
    await page.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Start');
    await page.press('Escape');
    expect(await isShown()).toBe(false);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Menu');
  });

  test('a toast is read out and leaves when it is closed', async () => {
    await components.open(1_280, false);
    await page.evaluate('document.querySelector("section button").click()');
    await page.sees(/Sent 1 RIA\./);
    expect(await page.evaluate('document.querySelector(".toasts").role ?? ""')).toBe('status');
    await page.evaluate('document.querySelector(".toasts button").click()');
    expect(await page.evaluate('document.querySelector(".toasts").textContent')).toBe('');
  });
});
