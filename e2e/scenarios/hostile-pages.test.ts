import { join } from 'node:path';
import { rollupClient } from '@switchyard/client';
import { signText } from '@switchyard/messenger/testing';
import { httpApp, pageRoutes, serveHttp } from '@switchyard/service';
import { route, schema, serveApi } from '@switchyard/service/api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser, openPage, type Page } from '../support/browser.ts';
import { ALL_HOSTILE_TEXTS, attacksOn, hostileName, UNHARMED, watchAttacks } from '../support/hostile-texts.ts';
import { createNetwork, type Network, root, until } from '../support/network.ts';
import { ALICE, getAddress } from '../support/submitting.ts';

/*
 * Two hundred hostile texts in the fields of every page, and in what pages show of strangers: none runs, becomes an element or makes a
 * page wider than a phone. Tokens, calls and contracts of EVM rollups are in `explorer-evm.test.ts`.
 */

/** Last of the texts, by the word that it begins with. */
const LAST = `h${ALL_HOSTILE_TEXTS.length - 1}`;

describe.runIf(findBrowser() !== undefined)('hostile texts', () => {
  let network: Network;
  let page: Page;

  beforeAll(async () => {
    network = await createNetwork({ hasProcesses: false });
    await network.start();
    page = await openPage(findBrowser() ?? '');
    await watchAttacks(page);
    await page.resize(390, 844);
  });
  afterAll(async () => {
    await page?.close();
    await network?.dispose();
  });

  const open = async (url: string, shows: RegExp) => {
    await page.open('about:blank');
    await page.open(url);
    await page.sees(shows);
  };
  const unharmed = async () => expect(await attacksOn(page)).toEqual(UNHARMED);

  /** Types each text into a field and lets the page react. @param then Body of an async function of `field` and `text`. */
  const enterAll = (selector: string, then: string) =>
    page.evaluate(`(async () => {
      const failures = [];
      for (const text of ${JSON.stringify(ALL_HOSTILE_TEXTS)}) {
        if (failures.length > 2) break;
        const field = document.querySelector(${JSON.stringify(selector)});
        const type = field instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement;
        Object.getOwnPropertyDescriptor(type.prototype, 'value').set.call(field, text);
        field.dispatchEvent(new Event('input', { bubbles: true }));
        const isDone = await (async () => { ${then} })();
        if (isDone === false) failures.push(text);
        if (document.documentElement.scrollWidth > innerWidth) failures.push('wide: ' + text);
      }
      return failures;
    })()`);
  /** Waits in the page for its next pictures, until a condition holds; for as long as a machine may take. */
  const untilInPage = (condition: string) => `
    for (let look = 0; look < 600; look += 1) {
      if (${condition}) return true;
      await new Promise(requestAnimationFrame);
    }
    return false;`;

  test('as messages and names in the chat', async () => {
    const url = network.url('rollup');
    const { chainId } = await rollupClient({ url }).status();
    await open(url, /astria/);
    // Halves of surrogate pairs cannot be signed.
    const signed = ALL_HOSTILE_TEXTS.map((text) => text.replaceAll(/\p{Surrogate}/gu, '\ufffd')).map((text, nonce) =>
      signText({ nonce, chainId, text, from: hostileName(text), feeAsset: 'nria' }, ALICE),
    );
    expect(await rollupClient({ url }).submitBatch(signed)).toMatchObject({ refused: [] });
    await page.sees(new RegExp(`${LAST} `), 60_000);
    // Text of messages that are far away is not drawn.
    const shown = String(
      await page.evaluate(`(async () => {
        const list = document.querySelector('main');
        let shown = '';
        for (let look = 0; look < 600 && (!shown.includes('h0') || list.scrollTop > 0); look += 1) {
          shown += list.textContent;
          list.scrollTop = 0;
          await new Promise(requestAnimationFrame);
        }
        return shown;
      })()`),
    );
    expect(ALL_HOSTILE_TEXTS.flatMap((_, index) => (shown.includes(`h${index}`) ? [] : [index]))).toEqual([]);
    await unharmed();
  });

  test('in the fields of the chat', async () => {
    const fields = await page.evaluate(`(() => {
      for (const folded of document.querySelectorAll('details, dialog')) folded.open = true;
      return [...document.querySelectorAll('input:not([type=file], [type=checkbox], [type=password]), textarea')].map((each, index) => {
        each.dataset.field = index;
        return '[data-field="' + index + '"]';
      });
    })()`);
    expect((fields as string[]).length).toBeGreaterThan(2);
    for (const field of fields as string[]) expect([field, await enterAll(field, 'await 0;')]).toEqual([field, []]);
    await unharmed();
  });

  test('as messages in the explorer', async () => {
    const paths = ['messages', `accounts/${getAddress(ALICE)}`].map((path) => `#/rollups/messenger/${path}`);
    for (const path of paths) {
      await open(`${network.url('explorer')}/${path}`, new RegExp(`${LAST} `));
      let seen = await page.text();
      const older = `[...document.querySelectorAll('main .pages a')].find((each) => each.textContent.includes('Older'))`;
      while (path.endsWith('messages') && (await page.evaluate(`${older} !== undefined`))) {
        const before = seen.length;
        const first = await page.evaluate('document.querySelector("main td")?.innerText + location.hash');
        await page.evaluate(`${older}.click()`);
        await until('the next page is there', async () => {
          const now = await page.evaluate('document.querySelector("main td")?.innerText + location.hash');
          return (
            (now !== first && (await page.evaluate('document.querySelector("main .loading") === null'))) || undefined
          );
        });
        await unharmed();
        seen += await page.text();
        expect(seen.length).toBeGreaterThan(before);
      }
      if (path.endsWith('messages'))
        expect(ALL_HOSTILE_TEXTS.filter((_, index) => !seen.includes(`h${index} `) && index > 0)).toEqual([]);
      await unharmed();
    }
  });

  test('in the search of the explorer', async () => {
    await open(network.url('explorer'), /Newest 100 blocks/);
    const then = `
      field.form.requestSubmit();
      const word = text.slice(0, text.indexOf(' '));
      ${untilInPage(`[word, 'URI malformed'].some((each) => document.querySelector('.search [role=status]').innerText.includes(each))`)}`;
    expect(await enterAll('.search input', then)).toEqual([]);
    await unharmed();
  });

  test('as addresses at the faucet', async () => {
    await open(network.url('messengerFaucet'), /Recent claims/);
    const then = `
      field.form.requestSubmit();
      ${untilInPage(`document.querySelector('#answer .message.bad') !== null`)}`;
    expect(await enterAll('#address', then)).toEqual([]);
    await unharmed();
  });

  /** Serves a page as processes do, with a menu of hostile titles and the additions of `add`. */
  const serve = (name: string, add: (app: ReturnType<typeof httpApp>) => void) => {
    const app = httpApp();
    add(app);
    const pages = ALL_HOSTILE_TEXTS.slice(-32).map((text, index) => {
      const kind = index === 0 ? ('start' as const) : ('faucet' as const);
      return { kind, title: text, url: `http://127.0.0.1:${index + 1}` };
    });
    const network = ALL_HOSTILE_TEXTS.at(-40) ?? '';
    pageRoutes(app, join(root, 'packages', 'web', 'dist', name), { pages: { network, pages } });
    return serveHttp({ listen: { host: '127.0.0.1', port: 0 }, name, app });
  };

  test('in the menu of a page', async () => {
    const served = await serve('faucet', () => undefined);
    try {
      for (const width of [390, 1_280]) {
        await page.resize(width, 844);
        await open(served.url, width === 390 ? /Menu/ : new RegExp(`${LAST} `));
        await page.evaluate('document.querySelector(".menu button").click()');
        await page.sees(new RegExp(`${LAST} `));
        await unharmed();
      }
    } finally {
      await page.resize(390, 844);
      await served.close();
    }
  });

  test('in the descriptions of an API', async () => {
    const all = ALL_HOSTILE_TEXTS;
    const members = Object.fromEntries(all.map((text) => [text, schema.text(text, { examples: [text] })]));
    const routes = all.map((text, index) =>
      route({
        method: 'get',
        url: `/v1/${index}`,
        id: `call-${index} ${text}`,
        tag: text,
        summary: text,
        description: text,
        query: index === 0 ? members : {},
        answers: { 200: schema.record(text, index === 0 ? members : {}) },
        handle: () => ({ status: 200, body: {} }),
      }),
    );
    const served = await serve('faucet', (app) =>
      serveApi(app, { title: all[0] ?? '', version: '1', description: all[1] ?? '' }, routes),
    );
    try {
      await open(`${served.url}/docs`, new RegExp(`${LAST} `));
      await page.evaluate('for (const details of document.querySelectorAll("main details")) details.open = true');
      await unharmed();
    } finally {
      await served.close();
    }
  });

  test('as facts on the start page', async () => {
    const described = (await (await fetch(`${network.url('startPage')}/network.json`)).json()) as object;
    const facts = { ...described, problems: [{ what: 'it is stopped', why: 'no', since: 1, command: 'start' }] };
    let at = 0;
    const hostile = (value: unknown, key = ''): unknown => {
      if (typeof value === 'string') {
        at += 1;
        return key === 'url' ? 'http://127.0.0.1:1/' : ALL_HOSTILE_TEXTS[at % ALL_HOSTILE_TEXTS.length];
      }
      if (Array.isArray(value)) return value.map((each) => hostile(each));
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, hostile(each, name)]));
    };
    const served = await serve('start', (app) => app.get('/network.json', (c) => c.json(hostile(facts))));
    try {
      while (at < 2 * ALL_HOSTILE_TEXTS.length) {
        const before = at;
        await open(served.url, /h\d+ /);
        await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true');
        await unharmed();
        expect(at).toBeGreaterThan(before);
      }
    } finally {
      await served.close();
    }
  });
});
