import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeViolations, hasAxe } from '../support/axe.ts';
import { findBrowser, openPage, type Page } from '../support/browser.ts';
import { createNetwork, type Network } from '../support/network.ts';

/*
 * The start page of a network with both rollups, as people see it. With SWITCHYARD_SCREENSHOTS=DIR, pictures of it are
 * written there.
 */

let network: Network;
let ready: Record<string, unknown>;
beforeAll(async () => {
  network = await createNetwork({ init: ['--template', 'messenger,evm'] });
  ready = await network.start();
});
afterAll(() => network?.dispose());

test('the ready line names the page, and the page has the same facts', async () => {
  expect(ready.startPage).toBe(network.url('startPage'));
  const facts = (await (await fetch(`${network.url('startPage')}/network.json`)).json()) as Record<string, unknown>;
  for (const key of ['instance', 'directory', 'links', 'accounts', 'notice']) expect(facts[key]).toEqual(ready[key]);
  for (const { url } of facts.links as readonly { url: string }[]) expect((await fetch(url)).status).toBe(200);
});

describe.runIf(findBrowser() !== undefined)('in a browser', () => {
  let page: Page;
  const shoot = async (name: string) => {
    const directory = process.env.SWITCHYARD_SCREENSHOTS;
    if (directory !== undefined) await page.screenshot(join(directory, `start-page-${name}.png`));
  };
  beforeAll(async () => {
    page = await openPage(findBrowser() ?? '');
    await page.resize(1_200, 900);
    await page.open(network.url('startPage'));
  });
  afterAll(() => page?.close());

  test('shows what runs, heights, links and accounts, and follows what changes', async () => {
    await page.sees(/All \d+ services are ready/, 60_000);
    const text = await page.sees(/EVM rollup evm\s+soft block [1-9]\d*, firm block \d+/, 60_000);
    for (const part of [
      'Chat',
      'HTTP API',
      'Faucet',
      'Sequencer faucet',
      'Messenger faucet',
      'in the explorer',
      'PUBLIC TEST KEYS',
      'alice',
      '0xf39Fd6e5',
    ])
      expect(text).toContain(part);
    expect(text).not.toContain('2bd806c97f0e');
    await shoot('light');
    expect((await network.switchyard('dev', 'stop', 'composer', '--instance', network.instance)).status).toBe(0);
    await page.sees(/composer is stopped/, 60_000);
    expect((await network.switchyard('dev', 'start', 'composer', '--instance', network.instance)).status).toBe(0);
    await page.sees(/All \d+ services are ready/, 60_000);
  });

  test('shows that a service runs and does not answer', async () => {
    const pid = await network.pid('rollup');
    process.kill(pid, 'SIGSTOP');
    try {
      await page.sees(/rollup is unhealthy: no answer within/, 60_000);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await page.sees(/All \d+ services are ready/, 60_000);
  });

  test('works by keyboard: the first link, and a key is shown on request', async () => {
    await page.press('Tab');
    expect(await page.evaluate('document.activeElement.tagName + " " + document.activeElement.innerText')).toMatch(
      /^A (Chat|Explorer)/,
    );
    await page.evaluate('document.querySelector("summary").focus()');
    await page.press('Enter');
    await page.sees(/2bd806c97f0e/);
    await page.press('Enter');
  });

  test('fits a phone', async () => {
    await page.resize(390, 844);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await shoot('phone');
    await page.resize(1_200, 900);
  });

  test.skipIf(!hasAxe()).each([false, true])('axe finds nothing, dark: %s', async (dark) => {
    await page.dark(dark);
    await page.evaluate('document.querySelectorAll("details").forEach((each) => { each.open = true; })');
    expect(await axeViolations(page)).toEqual([]);
    if (dark) await shoot('dark');
  });
});
