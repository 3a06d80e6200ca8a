import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { definedRollup, localNetwork } from '@switchyard/network';
import { createSigner } from '@switchyard/protocol';
import { clientOf } from '@switchyard/rollup/client';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser, openPage, type Page } from '../support/browser.ts';
import { board } from '../support/live-board.ts';
import { root, until } from '../support/network.ts';
import { createProxy } from '../support/proxy.ts';
import { read } from '../support/submitting.ts';

/* Pages that follow a rollup of schemas and act on it: reloaded, offline, in many tabs, and with another version of their code. */

const CELLS = 10_000;
const RELOADS = 200;
const TABS = 12;

const PLAIN = '<!doctype html><title>NAME</title><body></body><script type="module" src="NAME.js"></script>';

/** Keeps its key, acts at once, and names the actions that the browser has kept. */
const PAGE = (definition: string) => `
import { liveClient } from '@switchyard/rollup/live';
import { openKeyStore, openOutbox, randomSeed, sealKey, sharedSockets, signerOfKey } from '@switchyard/rollup/live/browser';
import { board as newest } from './e2e/support/live-board.ts';
import { defineRollup } from '@switchyard/rollup';

const board = ${definition};
const keys = await openKeyStore();
await keys.putFirst(await sealKey(randomSeed(), 'reader'));
const [key] = await keys.all();
const stored = await openOutbox({ onProblem: (reason) => { globalThis.problem = reason; } });
const noteOf = new Map();
const outbox = {
  ...stored,
  async put(action) {
    await stored.put(action);
    const note = noteOf.get(action.key);
    if (note !== undefined) localStorage.setItem('kept/' + note, '');
  },
};
const app = liveClient(board, { url: location.origin, signer: signerOfKey(key), outbox, socket: sharedSockets() });
const total = app.live((ask) => ask.total());
globalThis.app = app;
const render = () => {
  const { value, error } = total.get();
  const waiting = app.sent.get().map((each) => each.get()).filter(({ state }) => ['waiting', 'shown', 'accepted'].includes(state));
  document.body.innerText = [
    'total ' + (value === undefined ? error?.message ?? 'unknown' : value.total), 'pending ' + waiting.length,
    app.connection.get().state + ' ' + (app.connection.get().reason ?? ''), ...new Set(waiting.map(({ state, reason }) => state + ' ' + (reason ?? ''))),
  ].join('\\n');
};
total.subscribe(render);
app.connection.subscribe(render);
app.sent.subscribe((all) => { for (const each of all) each.subscribe(render); });

globalThis.add = (note = BigInt(crypto.getRandomValues(new BigUint64Array(1))[0] >> 1n)) => {
  const sent = app.submit.add({ note });
  noteOf.set(sent.key, note);
  sent.subscribe(render);
  return sent;
};
/** Milliseconds from an action to the end of the frame that shows it. */
globalThis.measureAction = async () => {
  const before = total.get().value.total;
  const begun = performance.now();
  await add().until('shown');
  if (total.get().value.total <= before) throw new Error('nothing is shown');
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  return performance.now() - begun;
};
/** Follows all cells, until one of them has a value. Longest times between two frames. */
globalThis.followCells = async (last) => {
  const cell = app.live((ask) => ask.cell({ cell: 0 }));
  cell.subscribe(() => undefined);
  const times = [];
  for (let before = performance.now(); cell.get().value?.value !== last; ) {
    const now = await new Promise(requestAnimationFrame);
    times.push(now - before);
    before = now;
  }
  return times.sort((one, other) => other - one).slice(0, 10);
};
/** Acts and reloads the page at random moments. */
const left = Number(sessionStorage.getItem('reloads') ?? 0);
if (left > 0) {
  sessionStorage.setItem('reloads', left - 1);
  setTimeout(() => add(), Math.random() * 20);
  setTimeout(() => add(), Math.random() * 60);
  setTimeout(() => location.reload(), Math.random() * 80);
}
`;

/** Verifies its node, and lists the heights from which it asks for signed blocks. */
const PROVEN = `
import { liveClient } from '@switchyard/rollup/live';
import { counter } from 'COUNTER';

const given = new URLSearchParams(location.search);
globalThis.asked = [];
new BroadcastChannel('asked').onmessage = ({ data }) => globalThis.asked.push(Number(data));
const app = liveClient(counter, {
  ...{ url: given.get('node') ?? location.origin, verify: 'execute', explorer: given.get('explorer') },
  worker: () => (globalThis.worker = new Worker(new URL('./verify.js', import.meta.url), { type: 'module' })),
});
const total = app.live((ask) => ask.total());
const render = () => {
  const { state, block = 0n, reason, unkept } = app.proof.get();
  const connection = app.connection.get();
  document.body.innerText = [
    'total ' + total.get().value?.total, 'proof ' + state + ' ' + block, reason, 'unkept ' + unkept,
    connection.state + ' ' + connection.reason,
  ].join('\\n');
};
for (const each of [total, app.proof, app.connection]) each.subscribe(render);
`;
const VERIFY = `
import { serveVerifier } from '@switchyard/rollup/live/browser';
import { counter } from 'COUNTER';

const asked = new BroadcastChannel('asked');
serveVerifier(counter, {
  fetch: (url, init) => {
    const from = new URL(url).searchParams.get('from');
    if (from !== null) asked.postMessage(from);
    return fetch(url, init);
  },
});
`;

/** Counts the connections of a page. */
const COUNTING = `globalThis.sockets = new Set();
globalThis.WebSocket = class extends WebSocket {
  constructor(url) {
    super(url);
    sockets.add(this);
    this.addEventListener('close', () => sockets.delete(this));
  }
};`;

/** The definition of the example, which is no part of these sources. */
const COUNTER = join(root, 'examples/counter/src/counter.ts');
const { counter } = (await import(COUNTER)) as { readonly counter: Parameters<typeof definedRollup>[0] };

/** The network of all tests, and where its pages are built. */
const pages = mkdtempSync(join(tmpdir(), 'switchyard-live-'));
const start = () =>
  localNetwork({
    rollups: [
      definedRollup(board, JSON.stringify({ rollup_name: 'board', cells: CELLS }), { pages: join(pages, 'board') }),
      definedRollup(counter, JSON.stringify({ rollup_name: 'counter', start: '100' }), {
        pages: join(pages, 'counter'),
        connectTo: ['http://127.0.0.1:*'],
      }),
    ],
    explorer: true,
    listen: { http: 0 },
    blockIntervalMs: 100,
  });
let network: Awaited<ReturnType<typeof start>>;
let url: string;

/** Counts one more. */
async function add(): Promise<void> {
  const signer = createSigner(new Uint8Array(32).fill(8));
  const { add } = clientOf(counter, { url: network.urls.counter?.http ?? '' }).submit;
  await add?.({ amount: 1n } as never, signer);
}

/** Bundles the text of a module as for a page, next to its document. */
async function build(directory: string, name: string, text: string, html = PLAIN.replaceAll('NAME', name)) {
  const id = join(root, name);
  const bundle = await rolldown({
    input: name,
    platform: 'browser',
    plugins: [
      {
        name: 'page',
        resolveId: (wanted: string) => (wanted === name ? id : undefined),
        load: (wanted) => (wanted === id ? { code: text, moduleType: 'ts' } : undefined),
      },
    ],
    resolve: { conditionNames: ['switchyard-source', 'browser', 'import', 'default'] },
  });
  const files = { entryFileNames: `${name}.js`, chunkFileNames: `${name}-[name].js` };
  await bundle.write({ dir: directory, minify: true, ...files });
  await bundle.close();
  writeFileSync(join(directory, `${name}.html`), html);
}

/** The page that authors are shown. */
async function buildShown() {
  const shown = readFileSync(join(root, 'docs', 'how-to', 'live-pages.md'), 'utf8');
  const [, html = ''] = /```html\n([\s\S]*?)```/.exec(shown) ?? [];
  const [, text = ''] = /```ts\n([\s\S]*?)```/.exec(shown) ?? [];
  await build(
    join(pages, 'counter'),
    'index',
    text.replace('../src/counter.ts', COUNTER),
    html.replace('main.ts', 'index.js'),
  );
}

/** Numbers of notes that were added, and how often each. */
async function getNotes(): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (let after: string | undefined; ; ) {
    const page = await read(`${url}/v1/tables/notes?limit=100${after === undefined ? '' : `&after=${after}`}`);
    for (const { key, value } of page.rows) found.set(String([key].flat()[0]), Number(value));
    after = page.next ?? undefined;
    if (after === undefined) return found;
  }
}

describe.runIf(findBrowser() !== undefined)('a live page', () => {
  let page: Page;
  beforeAll(async () => {
    for (const name of ['board', 'counter']) mkdirSync(join(pages, name));
    await build(join(pages, 'board'), 'index', PAGE('newest'));
    await build(join(pages, 'board'), 'older', PAGE('defineRollup({ ...newest, version: 2 })'));
    await buildShown();
    for (const [name, text] of Object.entries({ proven: PROVEN, verify: VERIFY }))
      await build(join(pages, 'counter'), name, text.replace('COUNTER', COUNTER));
    network = await start();
    url = network.urls.board?.http ?? '';
    // Timers of pages in the background would run once a second.
    page = await openPage(findBrowser() ?? '', [
      '--disable-background-timer-throttling',
      '--disable-renderer-backgrounding',
    ]);
    await page.open(url);
    await page.sees(/total 0[\s\S]*live/);
  });
  afterAll(async () => {
    await page?.close();
    await network?.close();
    rmSync(pages, { recursive: true, force: true });
  });

  test('shows an action in the next frame', async () => {
    const times: number[] = [];
    for (let at = 0; at < 20; at += 1) times.push(Number(await page.evaluate('measureAction()')));
    console.log(`an action is shown after ${times.map((each) => each.toFixed(1)).join(', ')} ms`);
    await page.sees(/total 20[\s\S]*pending 0/);
    expect(await page.evaluate('globalThis.problem')).toBeUndefined();
  });

  test('the page of the documentation shows the total, and counts at a click', async () => {
    const tab = await page.openTab();
    try {
      await tab.open(network.urls.counter?.http ?? '');
      await tab.sees(/Add 1\s+100/);
      await tab.evaluate(`document.querySelector('button').click()`);
      await tab.sees(/Add 1\s+101/);
      await until('the node has counted', async () =>
        (await read(`${network.urls.counter?.http}/v1/total`)).total === '101' ? true : undefined,
      );
    } finally {
      await tab.close();
    }
  });

  test('a page executes the blocks of its node, resumes after a reload and a dead worker, and names who gives false ones', async () => {
    const [node, explorer] = [network.urls.counter?.http ?? '', network.urls.explorer?.http ?? ''];
    const tab = await page.openTab();
    const askedFirst = () =>
      until('the worker asks for blocks', async () => {
        const from = await tab.evaluate('globalThis.isOld ? undefined : globalThis.asked?.[0]').catch(() => undefined);
        return from === undefined ? undefined : Number(from);
      });
    try {
      await add();
      await tab.open(`${node}/proven.html?explorer=${explorer}`);
      const [, block] = /proof verified (\d+)/.exec(await tab.sees(/proof verified [1-9]\d*/)) ?? [];
      const first = await askedFirst();
      await tab.evaluate('globalThis.isOld = true, location.reload()');
      const resumed = await askedFirst();
      await tab.sees(/proof verified [1-9]/);
      console.log(`blocks were executed up to ${block}, from ${first} on, and after a reload from ${resumed} on`);
      expect(resumed).toBeGreaterThanOrEqual(first + Number(block) - 1);

      await tab.evaluate('globalThis.asked.length = 0, worker.terminate()');
      await tab.sees(/proof unproven [\s\S]*the worker has ended: it was stopped/);
      await tab.sees(/proof verified [1-9][\s\S]*unkept undefined[\s\S]*live/);
      expect(await askedFirst()).toBeGreaterThanOrEqual(first + Number(block) - 1);
    } finally {
      await tab.close();
    }
  });

  test('a row that the node forges, and blocks that the explorer swaps or withholds, are named', async () => {
    const [node, explorer] = [network.urls.counter?.http ?? '', network.urls.explorer?.http ?? ''];
    while (Number((await read(`${node}/v1/status`)).soft.number) < 3) await add();
    let change = (_from: number, blocks: unknown[]): unknown[] => blocks;
    const liar = createServer(async ({ url: path = '' }, response) => {
      const answer = await read(`${explorer}${path}`);
      answer.blocks = change(Number(new URL(path, explorer).searchParams.get('from')), answer.blocks);
      response.writeHead(200, { 'access-control-allow-origin': '*' }).end(JSON.stringify(answer));
    }).listen(0, '127.0.0.1');
    await once(liar, 'listening');
    const tab = await page.openTab();
    /** Its own origin, where nothing is kept, each time. */
    const seen = async (pattern: RegExp, alter?: readonly [string, string], from = explorer) => {
      const proxy = await createProxy(Number(new URL(node).port));
      if (alter !== undefined) proxy.alter(...alter);
      await tab.open(`${proxy.url}/proven.html?explorer=${from}`);
      try {
        return await tab.sees(pattern);
      } finally {
        await proxy.close();
      }
    };
    try {
      const own = `http://127.0.0.1:${(liar.address() as AddressInfo).port}`;
      const { total } = await read(`${node}/v1/total`);
      console.log(
        await seen(/refused the node at http.*: block \d+: expected \w+ as row/, [
          `"${total}"`,
          `"${'9'.repeat(total.length)}"`,
        ]),
      );
      change = (_, [first, second, third, ...more]) => [first, third, second, ...more];
      console.log(await seen(/refused the explorer at http.*block/, undefined, own));
      change = (from, blocks) => blocks.slice(0, Math.max(0, 3 - from));
      await seen(
        /refused the explorer at http.*: it withholds block 3: expected it below block \d+, got none/,
        undefined,
        own,
      );
    } finally {
      await tab.close();
      liar.close();
    }
  });

  test('actions of a page without a network wait, and are sent once', async () => {
    const before = (await getNotes()).size;
    await page.offline(true);
    for (let at = 0; at < 3; at += 1) await page.evaluate('void add()');
    await page.sees(/pending 3/);
    expect((await getNotes()).size).toBe(before);
    await page.offline(false);
    await page.sees(/pending 0/);
    expect((await getNotes()).size).toBe(before + 3);
  });

  test('reloads at any moment lose no action that the browser has kept, and no action is executed twice', async () => {
    const tabs = [page, await page.openTab(), await page.openTab(), await page.openTab()];
    const begun = performance.now();
    for (const tab of tabs) {
      await tab.open(url);
      await tab.sees(/live/);
      await tab.evaluate(
        `sessionStorage.setItem('reloads', ${RELOADS / tabs.length}), void setTimeout(() => location.reload())`,
      );
    }
    const isDone = (tab: Page) => tab.evaluate(`sessionStorage.getItem('reloads') === '0'`).catch(() => false);
    for (const tab of tabs)
      await until('all reloads are over', async () => ((await isDone(tab)) === true ? true : undefined), 120_000);
    console.log(`${RELOADS} reloads took ${Math.round(performance.now() - begun)} ms`);
    for (const tab of tabs.slice(1)) await tab.close();
    await page.open(url);
    await page.sees(/total \d+[\s\S]*pending 0/);
    const kept = (await page.evaluate(
      `Object.keys(localStorage).filter((key) => key.startsWith('kept/')).map((key) => key.slice(5))`,
    )) as string[];
    const executed = await getNotes();
    console.log(`${executed.size} actions were executed, ${kept.length} of which the page knew to be kept`);
    expect(kept.filter((note) => executed.get(note) !== 1)).toEqual([]);
    expect([...executed.values()].filter((times) => times !== 1)).toEqual([]);
  });
  test('twelve tabs share one connection, also after the tab that held it has crashed', async () => {
    const tabs: Page[] = [];
    const countSockets = async (tab: Page) => Number(await tab.evaluate('sockets.size'));
    const shareOne = async () => {
      const counts = await Promise.all(tabs.map(countSockets));
      return counts.reduce((sum, each) => sum + each, 0) === 1 ? counts.indexOf(1) : undefined;
    };
    const allSee = async () => {
      const expected = (await getNotes()).size + 1;
      await tabs[0]?.evaluate('void add()');
      for (const tab of tabs) await tab.sees(new RegExp(`total ${expected}\\s`));
    };
    await page.open('about:blank');
    try {
      for (let at = 0; at < TABS; at += 1) {
        const tab = await page.openTab();
        tabs.push(tab);
        await tab.runFirst(COUNTING);
        await tab.open(url);
        await tab.sees(/live/);
      }
      const holder = await until('one tab has a connection', shareOne);
      await allSee();
      const [crashed] = tabs.splice(holder, 1);
      void crashed?.open('chrome://crash').catch(() => undefined);
      await until('another tab has it', shareOne);
      await allSee();
      await crashed?.close();
    } finally {
      for (const tab of tabs) await tab.close().catch(() => undefined);
    }
  });

  test('a tab with another version of the definition reads on, and lets the others act', async () => {
    await page.open(`${url}/older.html`);
    await page.sees(/read-only .*version/);
    await expect(page.evaluate('add()')).rejects.toThrow(/version/);
    const newest = await page.openTab();
    try {
      await newest.open(url);
      await newest.sees(/live/);
      const expected = (await getNotes()).size + 1;
      await newest.evaluate('void add()');
      await newest.sees(new RegExp(`total ${expected}\\s+pending 0`));
    } finally {
      await newest.close();
    }
  });

  test('follows 500 changes a second of 10,000 rows', async () => {
    await page.open(url);
    await page.sees(/live/);
    const { submit } = clientOf(board, { url });
    const painter = createSigner(new Uint8Array(32).fill(9));
    const paint = (from: number, value: bigint) =>
      submit.paint({ from, count: 50, value }, painter, { until: 'accepted' });
    await paint(0, 1n);
    const followed = page.evaluate('followCells(2n)') as Promise<number[]>;
    await page.sees(/total/);
    const [begun, busy] = [performance.now(), await page.busySeconds()];
    for (let turn = 0; turn < 50; turn += 1) {
      await paint(50 + turn * 50, BigInt(turn + 3));
      await sleep(Math.max(0, begun + turn * 100 - performance.now()));
    }
    await paint(0, 2n);
    const frames = await followed;
    const seconds = (performance.now() - begun) / 1_000;
    const share = ((await page.busySeconds()) - busy) / seconds;
    const longest = frames.map((each) => each.toFixed(0)).join(', ');
    console.log(
      `${(2_550 / seconds).toFixed(0)} changes a second: ${(100 * share).toFixed(1)} % of a core, longest frames ${longest} ms`,
    );
    expect(frames.length).toBe(10);
  });
});
