import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { sequencerClient } from '@switchyard/client';
import { signText } from '@switchyard/messenger/client';
import {
  createValidator,
  decodeSignedHeader,
  fromHex,
  type MerkleProof,
  parseDenom,
  type RollupId,
  rollupIdFromName,
  signTransaction,
  toHex,
  txHashOf,
  verifyCommit,
  verifyInclusion,
} from '@switchyard/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findBrowser, openPage } from '../support/browser.ts';
import { createNetwork, type Network, until } from '../support/network.ts';
import { ALICE, type Answer, ASSET, addressOf, ask, BOB, nonceOf, writeTexts } from '../support/submitting.ts';

const CAROL = '0e951afdcbefc420fe6f71b82b0c28c11eb6ee5d95be0886ce9dbf6fa512debc';
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

const api = async (path: string): Promise<Answer['body']> => {
  const { status, body } = await ask(`${network.url('explorer')}${path}`);
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
  return body;
};

/** Waits until the explorer has the newest block of the sequencer and of the rollup. */
const indexed = () =>
  until('the explorer has all blocks', async () => {
    const height = Number((await client.status()).latestHeight);
    const { height: has, problem, rollups } = await api('/v1/status');
    return problem === null && has >= height && rollups[0]?.number >= height - 1 ? Number(has) : undefined;
  });

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

/** What the sequencer itself has, up to a height, in the terms of the API. */
async function chainOf(height: number) {
  const blocks = [];
  for (let at = 1; at <= height; at += 1) {
    const { id, txs } = await client.block(BigInt(at));
    const { rollups } = await client.sequencerBlock(BigInt(at));
    const ours = rollups.find(({ rollup }) => rollup === MESSENGER);
    blocks.push({
      at,
      hash: toHex(id.hash),
      transactions: txs.slice(2).map(txHashOf),
      pieces: ours?.transactions.length ?? 0,
    });
  }
  return blocks;
}

async function mustEqualChain(): Promise<void> {
  const height = await indexed();
  const chain = await chainOf(height);
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
  const nonce = await nonceOf(network.url('rollup'), ALICE);
  const text = '<script>alert(1)</script>';
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

  const proof = await api(`/v1/rollups/messenger/proof/${found.sequencer.height}/${found.position}`);
  const merkle = ({ path, index, leaves }: { path: string[]; index: number; leaves: number }): MerkleProof => ({
    path: path.map(fromHex),
    index,
    leaves,
  });
  const signed = decodeSignedHeader(fromHex(proof.signedHeader));
  const validators = proof.validators.map((each: { publicKey: string; power: string }) =>
    createValidator(fromHex(each.publicKey), BigInt(each.power)),
  );
  verifyCommit(CHAIN, validators, signed);
  const inclusion = {
    rollup: proof.rollup as RollupId,
    data: fromHex(proof.data),
    dataProof: merkle(proof.dataProof),
    dataRoot: fromHex(proof.dataRoot),
    rollupProof: merkle(proof.rollupProof),
    rollupTransactionsRoot: fromHex(proof.rollupTransactionsRoot),
    entryProof: merkle(proof.entryProof),
  };
  expect(verifyInclusion(inclusion, signed.header.dataHash)).toBe(true);
  expect(Buffer.from(inclusion.data).includes(Buffer.from(bytes))).toBe(true);

  for (const [query, kind] of [
    [body.hash, 'rollup-transaction'],
    [found.bundle.hash, 'transaction'],
    [found.sequencer.hash, 'block'],
    ['messenger', 'rollup'],
    [addressOf(ALICE), 'account'],
  ]) {
    expect((await api(`/v1/search?q=${query}`)).items).toContainEqual(expect.objectContaining({ kind }));
  }
});

test('deposits and refused transactions are shown with what became of them', async () => {
  const carol = 'astria1f6yydwp23ucl6kfxt2gqt9vufgpsl3zvz5hwxk';
  await sequencer(ALICE_KEY, 'transfer', carol, '--amount', '50');
  await sequencer(CAROL, 'init-bridge-account', '--rollup-name', 'messenger');
  await sequencer(ALICE_KEY, 'bridge-lock', carol, '--amount', '3', '--destination-chain-address', addressOf(BOB));
  await sequencer(ALICE_KEY, 'bridge-lock', carol, '--amount', '1', '--destination-chain-address', 'nowhere');
  const [refused, credited] = await until('both deposits are executed', async () => {
    const { items } = await api('/v1/rollups/messenger/deposits');
    return items.length === 2 && items.every(({ state }: { state: string }) => state !== 'sequenced')
      ? items
      : undefined;
  });
  expect(credited).toMatchObject({ state: 'credited', amount: '3', bridge: carol, destination: addressOf(BOB) });
  expect(refused).toMatchObject({ state: 'refused', amount: '1', destination: 'nowhere', reason: expect.any(String) });
  const { items: bridges } = await api('/v1/bridges');
  expect(bridges).toMatchObject([{ address: carol, name: 'messenger', deposits: 2, balances: [{ amount: '6' }] }]);
  expect(await api(`/v1/accounts/${carol}`)).toMatchObject({ nonce: 1, bridge: { name: 'messenger' } });

  const junk = new TextEncoder().encode('no transaction of the messenger');
  const { nonce } = await client.nonce(addressOf(ALICE));
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

const browser = findBrowser();
test.skipIf(browser === undefined)(
  'the page shows it live, checks a proof, and never runs what users wrote',
  async () => {
    const page = await openPage(browser ?? '');
    const explorer = network.url('explorer');
    const shot = (name: string) => {
      const directory = process.env.SWITCHYARD_SCREENSHOTS;
      return directory === undefined ? undefined : page.screenshot(join(directory, `explorer-${name}.png`));
    };
    try {
      await page.open(explorer);
      await page.sees(new RegExp(`${CHAIN} · block \\d+ · lag`));
      await page.sees(/rollupDataSubmission/);
      await shot('home');
      const height = Number((await client.status()).latestHeight);
      await page.sees(new RegExp(`block (${height + 1}|${height + 2}|${height + 3}) ·`));

      // A deep link, and what a user wrote as text.
      await page.open(`${explorer}/#/rollups/messenger`);
      await page.evaluate('location.reload()');
      await page.sees(/<script>alert\(1\)<\/script>/);
      await page.sees(/credited/);
      expect(await page.evaluate('document.querySelectorAll("td script").length')).toBe(0);

      const items = await all('/v1/rollups/messenger/transactions');
      const executed = items.find(({ state }) => state !== 'refused');
      await page.evaluate(`location.hash = '#/rollups/messenger/transactions/${executed.hash}'`);
      await page.sees(/Accepted by the composer/);
      await page.evaluate(
        `[...document.querySelectorAll('button')].find((each) => each.textContent.includes('proof')).click()`,
      );
      await page.sees(/Checked in this page: the data is in block/);
      await shot('trace');
      const names = (await page.accessible()).filter(({ role }) => role === 'button' || role === 'textbox');
      expect(names.filter(({ name }) => name === '')).toEqual([]);

      await page.resize(390, 844);
      await page.dark(true);
      for (const [name, path] of [
        ['phone', '/'],
        ['phone-trace', `/rollups/messenger/transactions/${executed.hash}`],
        ['phone-account', `/accounts/${addressOf(ALICE)}`],
        ['phone-block', `/blocks/${executed.sequencer.height}`],
        ['phone-validators', '/validators'],
      ]) {
        await page.evaluate(`location.hash = '#${path}'`);
        await page.sees(name === 'phone' ? /Transactions/ : /Accepted|Balances|Proposer|Power/);
        const widths = await page.evaluate('[document.documentElement.scrollWidth, innerWidth]');
        expect([name, widths]).toEqual([name, [390, 390]]);
        await shot(name ?? '');
      }
    } finally {
      await page.close();
    }
  },
);

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

test('an index that is deleted is filled again, with the same contents', async () => {
  await indexed();
  const before = (await all('/v1/transactions')).reverse();
  await network.stop();
  rmSync(join(network.home, network.instance, 'data', 'explorer'), { recursive: true });
  await network.start();
  await mustEqualChain();
  const after = (await all('/v1/transactions')).reverse();
  expect(after.slice(0, before.length)).toEqual(before);
});
