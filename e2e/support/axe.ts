import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Page } from './browser.ts';
import { root } from './network.ts';

const AXE = join(root, 'e2e', 'tools', 'node_modules', 'axe-core', 'axe.min.js');

/** Whether axe is installed, as `npm test` and `node scripts/prepare.mjs --tools` do. */
export const hasAxe = (): boolean => existsSync(AXE);

/** A rule, with some elements that break it. */
export type Violation = readonly [rule: string, elements: readonly string[]];

/** Violations that axe finds on the present page: each rule with some elements that break it. */
export async function axeViolations(page: Page): Promise<readonly Violation[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined')
    await page.evaluate(`${readFileSync(AXE, 'utf8')}; undefined`);
  return (await page.evaluate(`axe.run().then(({ passes, violations }) => {
    if (passes.length === 0) throw new Error('axe checked nothing');
    return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html).slice(0, 3)]);
  })`)) as readonly Violation[]; // as the script has it
}

/** A page at an address after `#`, with something that only it shows. */
export type View = readonly [name: string, path: string, shows: RegExp];

/** In which forms views are checked: name, width in pixels, whether the colours are dark. */
export const FORMS: readonly (readonly [name: string, width: number, dark: boolean])[] = [
  ['light', 1_200, false],
  ['dark', 1_200, true],
  ['phone', 390, false],
];

/** Opens each view in one form: axe has to find nothing, and nothing may be wider than the window. @param shown Called with each. */
export async function checkViews(
  page: Page,
  views: readonly View[],
  [form, width, dark]: readonly [name: string, width: number, dark: boolean],
  shown: (name: string) => Promise<void>,
): Promise<void> {
  await page.resize(width, 844);
  await page.dark(dark);
  for (const [view, path, shows] of views) {
    await page.evaluate(`location.hash = ${JSON.stringify(`#${path}`)}`);
    await page.sees(shows);
    expect([view, await axeViolations(page)]).toEqual([view, []]);
    expect([view, await page.evaluate('document.documentElement.scrollWidth <= innerWidth')]).toEqual([view, true]);
    if (width === 390) expect([view, await page.evaluate('innerWidth')]).toEqual([view, width]);
    await shown(`${form}-${view}`);
  }
}
