import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { definedRollup, localNetwork } from '@switchyard/network';
import { definitionIn } from '@switchyard/rollup/internal';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeViolations, hasAxe } from '../support/axe.ts';
import { findBrowser, openPage, type Page } from '../support/browser.ts';
import { root } from '../support/network.ts';

/* The playground, as a web server of static files serves it: a network in the page, for which nothing else runs. */

const PLACE = join(root, 'playground', 'dist');
const TYPES: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css', '.html': 'text/html' };

describe.runIf(findBrowser() !== undefined)('the playground', () => {
  const server = createServer(({ url = '/' }, response) => {
    const path = join(PLACE, url === '/' ? 'index.html' : url);
    try {
      response.setHeader('content-type', TYPES[extname(path)] ?? 'application/octet-stream').end(readFileSync(path));
    } catch {
      response.writeHead(404).end();
    }
  });
  let page: Page;

  beforeAll(async () => {
    const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
    execFileSync(process.execPath, [vite, 'build', '--logLevel', 'error'], { cwd: join(root, 'playground') });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    page = await openPage(findBrowser() ?? '');
    await page.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}/#counter/one`);
  });
  afterAll(async () => {
    await page?.close();
    server.close();
  });

  const click = (where: string, button: string) =>
    page.evaluate(
      `[...document.querySelectorAll('${where} button')].find((each) => each.innerText === '${button}').click()`,
    );
  const add = async (user: string, amount: number) => {
    await page.evaluate(`document.querySelector('[aria-label=${user}] input').value = '${amount}'`);
    await click(`[aria-label=${user}]`, 'add');
  };
  const edit = async (from: string, to: string) => {
    await page.evaluate(`{
      const area = document.querySelector('textarea');
      area.value = area.value.replace(${JSON.stringify(from)}, ${JSON.stringify(to)});
      area.dispatchEvent(new Event('input', { bubbles: true }));
    }`);
    await click('.editor', 'Run');
    // The old chain is no longer shown.
    await page.sees(/starting…/);
  };

  test('makes the blocks that a network of Node makes from the same seed', async () => {
    await page.sees(/Sequencer 4 /);
    const shown = await page.evaluate(
      `[...document.querySelectorAll('.blocks li')].reverse().slice(0, 3).map((each) => [...each.querySelectorAll('code')].map(({ title }) => title))`,
    );
    const example = (name: string) => join(root, 'examples', 'counter', name);
    const module = (await import(pathToFileURL(example('src/counter.ts')).href)) as object;
    await using network = await localNetwork({
      rollups: [definedRollup(definitionIn(module), readFileSync(example('genesis.json'), 'utf8'))],
      ...{ blocks: 'manual', seed: 'one' },
    });
    const { rollup } = network.client<string>('counter');
    const expected: string[][] = [];
    for (let height = 1n; height <= 3n; height += 1n) {
      if (height > 1n) await network.mine(1);
      await expect.poll(async () => (await rollup.status()).soft).toBe(height);
      expected.push([(await network.newestBlock()).hash, (await rollup.block(height)).hash]);
    }
    expect(shown).toEqual(expected);
  });

  test('two users act, a refusal has its reason, and what happens behind a cut link is made up for', async () => {
    await add('alice', 5);
    await add('bob', 7);
    await page.sees(/\{"total":"112"\}/);
    await add('bob', 0);
    await page.sees(/add amount=0 .*empty/);
    const heights = async () =>
      /Sequencer (\d+) .*? rollup (\d+)/s
        .exec(await page.text())
        ?.slice(1)
        .map(Number) ?? [];
    await click('.faults p:nth-of-type(3)', 'cut');
    await expect
      .poll(async () => ((await heights())[0] ?? 0) - ((await heights())[1] ?? 0), { timeout: 20_000 })
      .toBeGreaterThan(1);
    await click('.faults p:nth-of-type(3)', 'heal');
    await expect
      .poll(async () => ((await heights())[0] ?? 0) - ((await heights())[1] ?? 0), { timeout: 20_000 })
      .toBe(0);
    await click('.faults p:nth-of-type(7)', 'kill');
    await page.sees(/counter\s+start/);
    await click('.faults p:nth-of-type(7)', 'start');
    await add('alice', 8);
    await page.sees(/\{"total":"120"\}/);
  });

  test('an edited definition begins a chain of its own, and a mistake in it is shown with its place', async () => {
    await edit('total.get(state) + amount', 'total.get(state) + amount + 1n');
    await page.sees(/\{"total":"100"\}/);
    await add('alice', 1);
    await page.sees(/\{"total":"102"\}/);
    await edit("name: 'total',", "name: 'total'");
    await page.sees(/counter\.ts: Unexpected token.*\(4:/);
  });

  test('code without an end ends with its worker', async () => {
    await edit("name: 'total'", "name: 'total',");
    await page.sees(/\{"total":"100"\}/);
    await edit('const sum', 'for (;;); const sum');
    await page.sees(/\{"total":"100"\}/);
    await add('alice', 1);
    await click('.editor', 'Stop');
    await page.sees(/The network was ended/);
    expect(await page.text()).toMatch(/ended/);
  });

  test('each example has its own network, with answers from its tables', async () => {
    await page.evaluate(`location.hash = '#token/one'`);
    await page.sees(/\{"amount":"1000000"\}/);
    await page.evaluate(`location.hash = '#orderbook/one'`);
    await page.sees(/\{"orders":\[\]\}/);
    expect(await page.text()).not.toMatch(/error/i);
  });

  test('the project that it makes has the files of the template', async () => {
    const packed = await page.evaluate(`new Promise((done) => {
      HTMLAnchorElement.prototype.click = async function () {
        const bytes = new Uint8Array(await (await fetch(this.href)).arrayBuffer());
        done(btoa(String.fromCharCode(...bytes)));
      };
      [...document.querySelectorAll('.editor button')].find((each) => each.innerText === 'Open this in a project').click();
    })`);
    const tar = (...args: string[]) =>
      execFileSync('tar', args, { input: Buffer.from(String(packed), 'base64'), encoding: 'utf8' });
    const example = join(root, 'examples', 'orderbook');
    const files = execFileSync('git', ['ls-files'], { cwd: example, encoding: 'utf8' }).trim().split('\n');
    const named = files.map((name) => `orderbook/${name === 'gitignore' ? '.gitignore' : name}`);
    expect(tar('tzf', '-').trim().split('\n').sort()).toEqual(named.sort());
    expect(tar('xzOf', '-', 'orderbook/src/book.ts')).toBe(readFileSync(join(example, 'src', 'book.ts'), 'utf8'));
  });

  test.runIf(hasAxe())('has no violations of the rules for accessible pages', async () => {
    expect(await axeViolations(page)).toEqual([]);
  });
});
