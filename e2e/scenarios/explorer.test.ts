import { readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { sequencerClient } from '@switchyard/client';
import { rollupClient } from '@switchyard/client/rollup';
import { signText } from '@switchyard/messenger/testing';
import { parseDenom, rollupIdFromName, signTransaction, toHex, txHashOf } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkViews, FORMS, hasAxe, type View } from '../support/axe.ts';
import { findBrowser, openPage, type Page } from '../support/browser.ts';
import { attacksOn, HOSTILE_TEXTS, hostileName, UNHARMED, watchAttacks } from '../support/hostile-texts.ts';
import { provenData } from '../support/inclusion.ts';
import { createNetwork, type Network, root, until } from '../support/network.ts';
import { ALICE, type Answer, ASSET, ask, BOB, getAddress, getNonce, read, writeTexts } from '../support/submitting.ts';

const CAROL = '0e951afdcbefc420fe6f71b82b0c28c11eb6ee5d95be0886ce9dbf6fa512debc';
const CAROL_ADDRESS = 'astria1f6yydwp23ucl6kfxt2gqt9vufgpsl3zvz5hwxk';
const ALICE_KEY = '2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90';
const CHAIN = 'sequencer-test-chain-0';
const MESSENGER = rollupIdFromName('messenger');

let network: Network;
let client: ReturnType<typeof sequencerClient>;
beforeAll(async () => {
  network = await createNetwork();
  await network.start();
  client = sequencerClient({ rpcUrl: network.url('rpc'), grpcUrl: network.url('grpc') });
});
afterAll(async () => {
  client?.close();
  await network?.dispose();
});

const api = (path: string): Promise<Answer['body']> => read(`${network.url('explorer')}${path}`);

/** Waits until the explorer has the block of the sequencer that is the newest now, and that of the rollup. @returns its height. */
const indexed = async (): Promise<number> => {
  const height = Number((await client.status()).latestHeight);
  const look = async () => {
    const { height: has, problem, rollups } = await api('/v1/status');
    return (problem === null && has >= height && rollups[0]?.number >= height - 1) || undefined;
  };
  // On a busy machine it leaves the processor to others while it fills its index, so it stays some blocks behind.
  await until('the explorer has all blocks', look, 120_000, 100);
  return height;
};

/** All pages of a list. */
async function all(path: string): Promise<Answer['body'][]> {
  const items = [];
  for (let cursor = ''; ; ) {
    const { items: more, next } = await api(`${path}?limit=100${cursor}`);
    items.push(...more);
    if (next === null) return items;
    cursor = `&cursor=${next}`;
  }
}

/** The sequencer's own blocks up to a height, in the terms of the API. */
async function getChain(height: number) {
  const blocks = [];
  for (let at = 1; at <= height; at += 1) {
    const { id, txs } = await client.block(BigInt(at));
    const { rollups } = await client.sequencerBlock(BigInt(at));
    const own = rollups.find(({ rollup }) => rollup === MESSENGER);
    blocks.push({
      at,
      hash: toHex(id.hash),
      transactions: txs.slice(2).map(txHashOf),
      pieces: own?.transactions.length ?? 0,
    });
  }
  return blocks;
}

async function mustEqualChain(): Promise<void> {
  const height = await indexed();
  const chain = await getChain(height);
  const blocks = (await all('/v1/blocks')).filter((block) => block.height <= height).reverse();
  expect(blocks.map(({ height: at, hash }) => [at, hash])).toEqual(chain.map(({ at, hash }) => [at, hash]));
  const transactions = (await all('/v1/transactions')).filter((each) => each.height <= height).reverse();
  expect(transactions.map(({ hash }) => hash)).toEqual(chain.flatMap((block) => block.transactions));
  const pieces = blocks.map(({ submissions, deposits }) => submissions + deposits);
  expect(pieces).toEqual(chain.map((block) => block.pieces));
}

async function sequencer(key: string, ...args: string[]): Promise<void> {
  const { status, stderr } = await network.switchyard('sequencer', ...args, '--private-key', key);
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
}

test('a text is followed from its acceptance to its block, with a proof that holds', async () => {
  const nonce = await getNonce(network.url('rollup'), ALICE);
  const text = '<script>alert(1)</script>\u202e';
  const bytes = signText({ nonce, chainId: 'messenger', text, from: 'alice', feeAsset: ASSET }, ALICE);
  const { body } = await ask(`${network.url('rollup')}/v1/transactions`, {
    method: 'POST',
    body: new Uint8Array(bytes),
  });
  const found = await until('the text is executed', async () => {
    const { submissions } = await api(`/v1/trace/${body.hash}`);
    return submissions[0]?.execution === null ? undefined : submissions[0];
  });
  expect(found).toMatchObject({
    name: 'messenger',
    size: bytes.length,
    state: expect.stringMatching(/^(executed|firm)$/),
  });
  expect(found.accepted).toMatchObject({ at: expect.any(String), bundledAt: expect.any(String) });
  const { body: outcome } = await ask(`${network.url('rollup')}/v1/transactions/${body.hash}`);
  expect([found.sequencer.height, found.execution.block]).toEqual([outcome.sequencerHeight, outcome.block]);

  const place = { height: found.sequencer.height, position: found.position };
  const { data } = await provenData(network.url('explorer'), CHAIN, place);
  expect(Buffer.from(data).includes(Buffer.from(bytes))).toBe(true);

  for (const [query, kind] of [
    [body.hash, 'rollup-transaction'],
    [found.bundle.hash, 'transaction'],
    [found.sequencer.hash, 'block'],
    ['messenger', 'rollup'],
    [getAddress(ALICE), 'account'],
  ]) {
    expect((await api(`/v1/search?q=${query}`)).items).toContainEqual(expect.objectContaining({ kind }));
  }
});

// Defect: Explorer took several times its share of a loaded processor
test('the explorer leaves the processors to the network that it indexes', async () => {
  const [explorer, sequencerProcess] = await Promise.all(['explorer', 'sequencer'].map((name) => network.pid(name)));
  const usual = getPriority(sequencerProcess);
  expect(getPriority(explorer)).toBe(Math.max(usual, constants.priority.PRIORITY_BELOW_NORMAL));
});

test('deposits and refused transactions are shown with what became of them', async () => {
  const carol = CAROL_ADDRESS;
  await sequencer(ALICE_KEY, 'transfer', carol, '--amount', '50');
  await sequencer(CAROL, 'init-bridge-account', '--rollup-name', 'messenger');
  await sequencer(ALICE_KEY, 'bridge-lock', carol, '--amount', '3', '--destination-chain-address', getAddress(BOB));
  await sequencer(ALICE_KEY, 'bridge-lock', carol, '--amount', '1', '--destination-chain-address', 'nowhere');
  const [refused, credited] = await until('both deposits are executed', async () => {
    const { items } = await api('/v1/rollups/messenger/deposits');
    return items.length === 2 && items.every(({ state }: { state: string }) => state !== 'sequenced')
      ? items
      : undefined;
  });
  expect(credited).toMatchObject({ state: 'credited', amount: '3', bridge: carol, destination: getAddress(BOB) });
  expect(refused).toMatchObject({ state: 'refused', amount: '1', destination: 'nowhere', reason: expect.any(String) });
  const { items: bridges } = await api('/v1/bridges');
  expect(bridges).toMatchObject([{ address: carol, name: 'messenger', deposits: 2, balances: [{ amount: '6' }] }]);
  expect(await api(`/v1/accounts/${carol}`)).toMatchObject({ nonce: 1, bridge: { name: 'messenger' } });

  const junk = new TextEncoder().encode('no transaction of the messenger');
  const { nonce } = await client.nonce(getAddress(ALICE));
  const action = { kind: 'rollupDataSubmission' as const, rollup: MESSENGER, data: junk, feeAsset: parseDenom('ntia') };
  const result = await client.broadcastSync(signTransaction({ nonce, chainId: CHAIN, actions: [action] }, ALICE));
  expect(result).toMatchObject({ code: 0 });
  const shown = await until('the junk is refused', async () => {
    const { items } = await api(`/v1/rollups/messenger/transactions/${txHashOf(junk)}`);
    return items[0]?.state === 'sequenced' ? undefined : items[0];
  });
  expect(shown).toMatchObject({
    state: 'refused',
    execution: { reason: expect.any(String) },
    bundle: { hash: result.hash },
  });
});

/** Turns one bit of each signed block that the page receives, once `isAltered` is set. */
const ALTER_PROOFS = `
  const { fetch } = window;
  window.fetch = async (url, init) => {
    const answer = await fetch(url, init);
    if (!window.isAltered || !String(url).includes('/signed-blocks')) return answer;
    const signed = await answer.json();
    const [first] = signed.blocks;
    // In the middle, where the data of the rollup is.
    const at = first.block.length >> 1;
    first.block = first.block.slice(0, at) + (parseInt(first.block[at], 16) ^ 1).toString(16) + first.block.slice(at + 1);
    return new Response(JSON.stringify(signed), { headers: { 'content-type': 'application/json' } });
  };
`;
const browser = findBrowser();
describe.runIf(browser !== undefined)('the page', () => {
  let page: Page;
  let executed: {
    readonly hash: string;
    readonly bundle: { readonly hash: string };
    readonly sequencer: { readonly height: number };
  };
  beforeAll(async () => {
    page = await openPage(browser ?? '');
    await page.resize(1_200, 900);
    await page.runFirst(ALTER_PROOFS);
    await watchAttacks(page);
    const items = await all('/v1/rollups/messenger/transactions');
    executed = items.find(({ state }) => state !== 'refused');
  });
  afterAll(() => page?.close());

  const shot = async (name: string) => {
    const directory = process.env.SWITCHYARD_SCREENSHOTS;
    if (directory !== undefined) await page.screenshot(join(directory, `explorer-${name}.png`));
  };
  /** The line of the header that has the height. */
  const PLACE = `document.querySelector('.place')?.innerText`;
  /** It may pass over blocks, which come faster than it shows them. */
  const showsAbove = (height: number, of = page) =>
    until(`the page shows a block above ${height}`, async () => {
      const [, shown = '0'] = /block ([\d,]+)/.exec(String(await of.evaluate(PLACE))) ?? [];
      return Number(shown.replaceAll(',', '')) > height || undefined;
    });

  const goTo = (path: string) => page.evaluate(`location.hash = ${JSON.stringify(`#${path}`)}`);
  /** Addresses of pages, each with something that only it shows. */
  const views = (): readonly View[] => [
    ['home', '/', /Newest 100 blocks[\s\S]*rollup data submission/],
    ['blocks', '/blocks', /Submissions[\s\S]*Size/],
    ['block', `/blocks/${executed.sequencer.height}`, /Proposer/],
    ['transactions', '/transactions', /Signer/],
    [
      'transaction',
      `/transactions/${executed.bundle.hash}`,
      /submitted [\s\S]* to messenger[\s\S]*Way through the stack/,
    ],
    ['rollups', '/rollups', /Newest data/],
    ['rollup', '/rollups/messenger', /Messages[\s\S]*Deposits[\s\S]*credited/],
    ['rollup-messages', '/rollups/messenger/messages', /<script>/],
    ['rollup-block', '/rollups/messenger/blocks/1', /Deposits credited/],
    ['rollup-account', `/rollups/messenger/accounts/${getAddress(BOB)}`, /Transfers and deposits/],
    ['trace', `/rollups/messenger/transactions/${executed.hash}`, /Accepted by the composer/],
    ['account', `/accounts/${getAddress(ALICE)}`, /Balances/],
    ['bridge', `/bridges/${CAROL_ADDRESS}`, /Roles are changed by[\s\S]*credited/],
    ['validators', '/validators', /Uptime/],
    ['charts', '/charts/1000', /Execution lag/],
    ['absent', '/blocks/999999999', /has no such block/],
  ];

  test('follows the chain, and has deep links that survive a reload', async () => {
    await page.open(network.url('explorer'));
    await page.sees(new RegExp(`block \\d+[\\s\\S]*Chain ${CHAIN}`));
    const height = Number((await client.status()).latestHeight);
    await showsAbove(height);
    for (const [name, path, shows] of views()) {
      await goTo(path);
      await page.sees(shows);
      await shot(name);
    }
    // Until the new document is there, the old one has the same text.
    await page.evaluate('window.isOld = true; location.reload()');
    await until('the page is loaded again', async () => (await page.evaluate('window.isOld')) !== true || undefined);
    await page.sees(/has no such block/);
    const title = 'No block 999999999 · Explorer';
    await until('the page has its title', async () => (await page.evaluate('document.title')) === title || undefined);
  });

  // Defect: Row of 10,856 px made by a message of line breaks
  test('shows what strangers wrote, and neither runs nor obeys it', async () => {
    await page.open(`${network.url('explorer')}/#/rollups/messenger/messages`);
    await page.sees(/<script>alert\(1\)<\/script>\\u\{202e\}/);
    expect(await page.evaluate('document.querySelectorAll("main script").length')).toBe(0);
    const nonce = await getNonce(network.url('rollup'), ALICE);
    const signed = HOSTILE_TEXTS.map((text, at) =>
      signText({ nonce: nonce + at, chainId: 'messenger', text, from: hostileName(text), feeAsset: ASSET }, ALICE),
    );
    await rollupClient({ url: network.url('rollup') }).submitBatch(signed);
    await page.sees(/lines\\u\{a\}/, 60_000);
    await page.sees(/mixed \u0430lice ⚠ name of mixed scripts/);
    const paths = ['/rollups/messenger/messages', `/rollups/messenger/accounts/${getAddress(ALICE)}`];
    for (const width of [390, 1_200]) {
      await page.resize(width, 900);
      for (const path of paths) {
        await goTo(path);
        await page.sees(/lines\\u\{a\}/);
        expect([path, width, await attacksOn(page)]).toEqual([path, width, UNHARMED]);
        const heights = await page.evaluate('[...document.querySelectorAll("main tr")].map((row) => row.clientHeight)');
        expect(Math.max(0, ...(heights as number[]))).toBeLessThan(700);
        await shot(`hostile-${width}-${paths.indexOf(path)}`);
      }
    }
  });

  // Defect: The marks of the time line were cut off
  test('shows the way with its marks, checks the inclusion proof itself, and does not accept an altered one', async () => {
    const check = `[...document.querySelectorAll('button')].find((each) => each.textContent.includes('proof')).click()`;
    await goTo(`/rollups/messenger/transactions/${executed.hash}`);
    await page.sees(/Check the inclusion proof/);
    const mark = `document.querySelectorAll('.trace li')[1].scrollIntoView({ block: 'center' }),
      (({ left, top }) => document.elementFromPoint(left - 4, top + 12)?.tagName)(
        document.querySelectorAll('.trace li')[1].getBoundingClientRect())`;
    expect(await page.evaluate(mark)).toBe('LI');
    await page.evaluate(check);
    await page.sees(/Checked in this page: the data is in block/);
    await shot('trace-checked');
    await page.evaluate('window.isAltered = true');
    await page.evaluate(check);
    await page.sees(/The proof does not hold: malformed/);
  });

  test('is searched by keyboard', async () => {
    // A document of its own: the first page that is opened from the start has to get the focus too.
    await page.open('about:blank');
    await page.open(network.url('explorer'));
    await page.sees(/Newest 100 blocks/);
    await page.evaluate(`document.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true }))`);
    await page.type(executed.hash);
    await page.sees(/transaction \w+ of messenger/);
    await page.press('ArrowDown');
    await page.press('Enter');
    await page.sees(/Accepted by the composer/);
    await until('the focus is at the title', async () =>
      (await page.evaluate('document.activeElement.textContent')) === 'Rollup transaction' ? true : undefined,
    );
  });

  test('survives a restart of the explorer while it is open', async () => {
    await goTo('/');
    await page.sees(/Newest 100 blocks/);
    process.kill(await network.pid('explorer'), 'SIGKILL');
    await page.sees(/The explorer does not answer/);
    await indexed();
    await until('the page is live again', async () => (/does not answer/.test(await page.text()) ? undefined : true));
    const height = Number((await client.status()).latestHeight);
    await showsAbove(height);
  });

  // Defect: Seventh page of one server never loaded, since browsers open six connections to a server and each page held one
  test('is alive in each of eight tabs, and so is the chat, also when tabs close and come back', async () => {
    const tabs: Page[] = [];
    const opened = async (url: string) => {
      const tab = await page.openTab();
      tabs.push(tab);
      await tab.open(url);
      return tab;
    };
    try {
      const explorers: Page[] = [];
      for (let at = 0; at < 8; at += 1) explorers.push(await opened(network.url('explorer')));
      const chats: Page[] = [];
      for (let at = 0; at < 8; at += 1) chats.push(await opened(network.url('rollup')));
      const [first, ...others] = explorers;
      const areAlive = async (text: string, them: readonly Page[]) => {
        const height = Number((await client.status()).latestHeight);
        const nonce = await getNonce(network.url('rollup'), BOB);
        const signed = signText({ nonce, chainId: 'messenger', text, from: 'Bob', feeAsset: ASSET }, BOB);
        await rollupClient({ url: network.url('rollup') }).submitBatch([signed]);
        for (const tab of chats) await tab.sees(new RegExp(text));
        for (const tab of them) {
          // A page in the background shows no new heights.
          await tab.toFront();
          await showsAbove(height, tab);
        }
        // The tab read the newest blocks when it came to the front; later ones are pushed.
        await showsAbove(Number((await client.status()).latestHeight), them.at(-1));
      };
      await areAlive('to every tab', explorers);
      // It holds the connection of all.
      await first?.open('about:blank');
      await chats[0]?.open('about:blank');
      await chats.shift()?.close();
      await areAlive('after the first is gone', others);
      for (let turn = 0; turn < 7; turn += 1) {
        await first?.toFront();
        await first?.evaluate('void setTimeout(() => history.back())');
        await first?.sees(/Newest 100 blocks/);
        await first?.open('about:blank');
        await until('it is away', async () => (await first?.evaluate('location.href')) === 'about:blank' || undefined);
      }
      await first?.evaluate('void setTimeout(() => history.back())');
      await areAlive('after one has come back', explorers);
      // A page of the same origin that is suspended while it has the connection.
      const silent = await opened(`${network.url('explorer')}/v1/status`);
      await silent.sees(/"chainId"/);
      const stream = `switchyard events ${network.url('explorer')}/v1/events`;
      const hold = `navigator.locks.request('${stream}', { steal: true }, () => new Promise(() => {}))`;
      await silent.evaluate(`void ${hold}.catch(() => { window.isTaken = true; })`);
      await areAlive('while one is suspended', explorers);
      expect(await silent.evaluate('window.isTaken')).toBe(true);
    } finally {
      for (const tab of tabs) await tab.close().catch(() => undefined);
    }
  });

  test('draws charts, with the same numbers as tables', async () => {
    await goTo('/charts');
    await page.sees(/Execution lag/);
    await page.evaluate('document.querySelectorAll("details").forEach((each) => { each.open = true; })');
    await page.sees(/Blocks\s+Block time/);
    const { points } = await api('/v1/charts');
    const rows = Number(await page.evaluate('document.querySelector("figure table").tBodies[0].rows.length'));
    expect(Math.abs(rows - points.length)).toBeLessThanOrEqual(3);
    expect(await page.evaluate('document.querySelectorAll("figure rect").length')).toBeGreaterThan(0);
    await page.evaluate(`(() => {
      const range = document.querySelector('figure input');
      range.focus();
      range.value = '0';
      range.dispatchEvent(new Event('input', { bubbles: true }));
    })()`);
    const isFirst =
      'document.querySelector(".readout").innerText.startsWith(document.querySelector(".ends span").innerText)';
    await until('the first point is read', async () => (await page.evaluate(isFirst)) === true || undefined);
  });

  test('is small: all of its files together, with what is loaded later', () => {
    const directory = join(root, 'packages', 'web', 'dist', 'explorer', 'assets');
    const sizes = readdirSync(directory).map((name) => gzipSync(readFileSync(join(directory, name))).length);
    expect(sizes.length).toBeGreaterThan(2);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(100_000);
  });

  test.skipIf(!hasAxe()).each(FORMS)(
    'axe finds nothing on any view, and nothing is wider than the window: %s',
    async (...form) => checkViews(page, views(), form, shot),
  );
});

test('killed again and again while texts are written, its index equals the chain', async () => {
  let writing = true;
  const texts = writeTexts(network.url('rollup'), BOB, { chainId: 'messenger', name: 'bob', until: () => !writing });
  const pids = new Set<number>();
  for (let kill = 0; kill < 4; kill += 1) {
    const pid = await until('another explorer runs', async () => {
      const now = await network.pid('explorer');
      return pids.has(now) ? undefined : now;
    });
    pids.add(pid);
    await until('it answers', async () => (await api('/v1/status')).problem === null || undefined);
    process.kill(pid, 'SIGKILL');
  }
  writing = false;
  const written = await texts;
  await until('the last text is in the index', async () => {
    const hash = written.at(-1)?.hash;
    const { status } = await ask(`${network.url('explorer')}/v1/rollups/messenger/transactions/${hash}`);
    return status === 200 || undefined;
  });
  await mustEqualChain();
  const known = (await all('/v1/rollups/messenger/transactions')).map(({ hash }) => hash);
  const bobs = new Set(written.map(({ hash }) => hash));
  expect(known.filter((hash) => bobs.has(hash)).sort()).toEqual([...bobs].sort());
});

test.each([
  ['deleted', (directory: string) => rmSync(directory, { recursive: true })],
  [
    'cut in half',
    (directory: string) => {
      const file = join(directory, 'index.db');
      truncateSync(file, Math.floor(statSync(file).size / 2));
    },
  ],
])('an index that is %s is filled again, with the same contents', async (_, damage) => {
  await indexed();
  const before = (await all('/v1/transactions')).reverse();
  await network.stop();
  damage(join(network.home, network.instance, 'data', 'explorer'));
  await network.start();
  await mustEqualChain();
  const after = (await all('/v1/transactions')).reverse();
  expect(after.slice(0, before.length)).toEqual(before);
});

describe('with a data-availability layer', () => {
  let layered: Network;
  let page: Page | undefined;
  beforeAll(async () => {
    layered = await createNetwork({
      instance: 'layered',
      init: ['--data-availability', 'local', '--template', 'messenger,evm'],
    });
    await layered.start('local', [], 60_000);
  });
  afterAll(async () => {
    await page?.close();
    await layered?.dispose();
  });
  const shoot = async (name: string) => {
    const directory = process.env.SWITCHYARD_SCREENSHOTS;
    if (directory !== undefined) await page?.screenshot(join(directory, `explorer-layer-${name}.png`));
  };
  const layeredApi = (path: string): Promise<Answer['body']> => read(`${layered.url('explorer')}${path}`);
  const service = async (verb: string, name: string) => {
    const { status, stderr } = await layered.switchyard('dev', verb, name, '--instance', layered.instance);
    if (status !== 0) throw new Error(stderr);
  };
  let hash = '';
  let height = 0;

  test('the trace of a text has the height of the layer, and its blocks are soft, then firm', async () => {
    const url = layered.url('rollup');
    const nonce = await getNonce(url, ALICE);
    const bytes = signText({ nonce, chainId: 'messenger', text: 'posted', from: 'alice', feeAsset: ASSET }, ALICE);
    const { body } = await ask(`${url}/v1/transactions`, { method: 'POST', body: new Uint8Array(bytes) });
    hash = body.hash;
    const found = await until('the text is firm and its height of the layer is known', async () => {
      const { submissions } = await layeredApi(`/v1/trace/${hash}`);
      const [one] = submissions;
      return one?.state === 'firm' && one.layer !== null ? one : undefined;
    });
    height = found.sequencer.height;
    const at = Date.parse(found.layer.at);
    expect(at).toBeGreaterThanOrEqual(Date.parse(found.sequencer.time));
    const { layer } = await layeredApi(`/v1/blocks/${height}`);
    expect(layer).toEqual(found.layer);
    const { items } = await layeredApi('/v1/blocks');
    expect(items.find((block: Answer['body']) => block.height === height).layer).toEqual(layer);
    const block = await layeredApi(`/v1/rollups/messenger/blocks/${found.execution.block}`);
    expect(block).toMatchObject({ isFirm: true, layer });
    const { firm, firmLayerHeight } = (await ask(`${url}/v1/status`)).body;
    expect(firm.number).toBeGreaterThanOrEqual(found.execution.block);
    expect(firmLayerHeight).toBeGreaterThanOrEqual(layer.height);
    const posted = await until('a block of the EVM rollup is firm', async () => {
      const { items: newest } = await layeredApi('/v1/rollups/evm/evm/blocks');
      return newest.find((each: Answer['body']) => each.isFirm && each.layer !== null);
    });
    expect((await layeredApi(`/v1/blocks/${posted.sequencerHeight}`)).layer).toEqual(posted.layer);
  });

  test('the start page and dev status show soft, firm and posted blocks', async () => {
    const facts = (await ask(`${layered.url('startPage')}/network.json`)).body;
    expect(facts.rollup).toMatchObject({ firm: expect.any(Number), layerHeight: expect.any(Number) });
    expect(facts.evm).toMatchObject({ firm: expect.any(Number), layerHeight: expect.any(Number) });
    expect(facts.layer.postedHeight).toBeGreaterThanOrEqual(height);
    const { stdout } = await layered.switchyard('dev', 'status', '--instance', layered.instance);
    expect(stdout).toMatch(/rollup messenger block \d+ \(firm \d+ at layer height \d+\)/);
    expect(stdout).toMatch(/posted up to block \d+ at layer height \d+, \d+ blocks? behind/);
  });

  test.runIf(findBrowser() !== undefined)('the pages show it', async () => {
    page = await openPage(findBrowser() ?? '');
    await page.resize(1_200, 900);
    await page.open(`${layered.url('explorer')}/#/rollups/messenger/transactions/${hash}`);
    await page.sees(/Posted to the data-availability layer, height \d/, 60_000);
    await shoot('trace');
    await page.open(`${layered.url('explorer')}/#/blocks/${height}`);
    await page.sees(/Data availability\s+height \d/, 60_000);
    await shoot('block');
    await page.open(`${layered.url('explorer')}/#/rollups/messenger`);
    await page.sees(/Data availability\s+height \d/, 60_000);
    await shoot('rollup');
    await page.open(`${layered.url('explorer')}/#/`);
    await page.sees(/firm [\d,]+ \(layer height \d/, 60_000);
    await shoot('home');
    await page.open(layered.url('startPage'));
    await page.sees(/posted to block [\d,]+[\s\S]*firm[\s\S]*layer height \d/, 60_000);
    await shoot('start-page');
  });

  test('with the layer away heights stay, and with the relayer away the rest does', async () => {
    await service('stop', 'da');
    expect((await layeredApi(`/v1/blocks/${height}`)).layer).not.toBeNull();
    await service('stop', 'relayer');
    const { status, body } = await ask(`${layered.url('explorer')}/v1/blocks/${height - 1}`);
    expect([status, body.height]).toEqual([200, height - 1]);
  });
});
