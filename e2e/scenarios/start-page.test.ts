import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { talk } from '../pages/activity.ts';
import { axeViolations, hasAxe } from '../support/axe.ts';
import { findBrowser, openPage, type Page } from '../support/browser.ts';
import { devKey } from '../support/evm.ts';
import { injectWallet } from '../support/injected-wallet.ts';
import { createNetwork, type Network } from '../support/network.ts';
import { looseLines } from '../support/page-rules.ts';
import { ask } from '../support/submitting.ts';

/*
 * The start page of a network with both rollups and a data-availability layer, as people see it. With SWITCHYARD_SCREENSHOTS=DIR, pictures of it are
 * written there.
 */

let network: Network;
let ready: Record<string, unknown>;
beforeAll(async () => {
  network = await createNetwork({ init: ['--template', 'messenger,evm', '--data-availability', 'local'] });
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

  // Defect: A fault was a paragraph without its time, and without a command that shows more or ends it
  test('shows what runs, its pages and what to do next, and follows what changes', async () => {
    await page.sees(/All \d+ services are ready/, 60_000);
    const text = await page.sees(/evm: block [1-9]\d*, firm \d+/, 60_000);
    for (const part of [
      'messenger (a chat) and evm (an Ethereum chain)',
      'Chat',
      'Faucet',
      'Sequencer faucet',
      'Messenger faucet',
      'Open the chat',
      'new my-rollup',
    ])
      expect(text).toContain(part);
    // Folded away: endpoints, ports, accounts and their keys.
    for (const part of ['PUBLIC TEST KEYS', '0xf39Fd6e5', '2bd806c97f0e', network.url('evmConductor')])
      expect(text).not.toContain(part);
    await shoot('light');
    expect((await network.switchyard('dev', 'stop', 'composer', '--instance', network.instance)).status).toBe(0);
    await page.sees(/composer is stopped since \d[\s\S]* dev start composer/, 60_000);
    expect((await network.switchyard('dev', 'start', 'composer', '--instance', network.instance)).status).toBe(0);
    await page.sees(/All \d+ services are ready/, 60_000);
  });

  test('follows the newest transaction from the composer to a firm block', async () => {
    const hash = await talk(network);
    const text = await page.sees(
      new RegExp(`Newest transaction of messenger:\\s+firm\\s+${hash.slice(0, 10)}`),
      60_000,
    );
    expect(text).toMatch(
      /sequenced[\s\S]+?after [\d.]+ m?s, block \d+[\s\S]+executed[\s\S]+?block \d+[\s\S]+firm[\s\S]+?layer height \d+/,
    );
    const { rollupId } = (await ask(`${network.url('rollup')}/v1/status`)).body;
    const way = await page.evaluate('document.querySelector(".newest a").href');
    expect(way).toBe(`${network.url('explorer')}/#/rollups/${rollupId}/transactions/${hash}`);
  });

  test('adds the EVM rollup to a wallet of the browser', async () => {
    const visitor = await openPage(findBrowser() ?? '');
    const wallet = await injectWallet(visitor, network, devKey(0));
    try {
      await visitor.open(network.url('startPage'));
      await visitor.sees(/Add network to Test <b>Wallet<\/b>/, 60_000);
      await visitor.evaluate(
        `[...document.querySelectorAll('button')].find((each) => /^Add network/.test(each.innerText)).click()`,
      );
      await visitor.sees(/Test <b>Wallet<\/b>: It has the network/);
      expect(wallet.seen).toEqual([
        expect.objectContaining({
          method: 'wallet_addEthereumChain',
          params: [
            {
              chainId: '0x539',
              chainName: 'evm',
              rpcUrls: [network.url('evm')],
              blockExplorerUrls: [`${network.url('explorer')}/evm`],
              nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
            },
          ],
        }),
      ]);
    } finally {
      await wallet.close();
      await visitor.close();
    }
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

  test('works by keyboard: the content is next, then the newest blocks, and keys are shown on request', async () => {
    const focused = () => page.evaluate('document.activeElement.tagName + " " + document.activeElement.innerText');
    await page.evaluate('document.querySelector("#main").focus()');
    await page.press('Tab');
    expect(await focused()).toMatch(/^A block \d/);
    await page.evaluate(
      `[...document.querySelectorAll('summary')].at(-1).closest('.folded').querySelector('summary').focus()`,
    );
    await page.press('Enter');
    await page.sees(/PUBLIC TEST KEYS[\s\S]*alice/);
    expect(await page.text()).not.toContain('2bd806c97f0e');
    await page.evaluate(`document.querySelector('.accounts summary').focus()`);
    await page.press('Enter');
    await page.sees(/2bd806c97f0e/);
    await page.press('Enter');
  });

  // Defect: The lines between the parts of the stack were cut off, and of the dots on them one half
  test('its drawing is whole', async () => {
    for (const width of [1_200, 390]) {
      await page.resize(width, 844);
      expect([width, await looseLines(page, '.line', '.station')]).toEqual([width, []]);
    }
  });

  test('fits a phone', async () => {
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
