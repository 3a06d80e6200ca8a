import { testDeposit } from '@switchyard/evm/testing';
import { sha256Hex } from '@switchyard/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type EvmExplorer, evmExplorer } from '../testing.ts';

let explorer: EvmExplorer;
beforeEach(async () => {
  explorer = await evmExplorer();
});
afterEach(() => explorer.close());

test('shows blocks and transactions of an EVM rollup as its node executed them', async () => {
  const { chain, api, indexed } = explorer;
  const [alice, bob] = [chain.account(0), chain.account(1)];
  const transfer = alice.transfer(bob.address, 7n);
  const first = await chain.sequence([transfer, new Uint8Array([1, 2, 3]), bob.deploy(new Uint8Array([0xfe]))]);
  await chain.sequence([testDeposit(bob.address, 5n)]);
  await indexed();

  const { items: blocks, next } = await api('/blocks');
  expect([blocks.map(({ number }: { number: number }) => number), next]).toEqual([[2, 1], null]);
  expect(blocks[1]).toMatchObject({
    hash: first.block.hash,
    parentHash: chain.chain.findHash(0n),
    transactions: 2,
    gasUsed: Number(first.block.header.gasUsed),
    deposits: 0,
    baseFee: String(first.block.header.baseFeePerGas),
    sequencerBlockHash: first.block.header.parentBeaconBlockRoot,
    sequencerHeight: null,
  });
  expect(blocks[0]).toMatchObject({ deposits: 1, transactions: 0 });
  expect(await api(`/blocks/${first.block.hash}`)).toEqual(blocks[1]);
  expect(await api('/blocks/1')).toEqual(blocks[1]);

  const { items } = await api('/transactions');
  const [deploy, sent] = items;
  expect(sent).toMatchObject({ block: 1, index: 0, value: '7', status: 1, gasUsed: 21_000, nonce: 0, created: null });
  expect([sent.from, sent.to].map((each) => each.toLowerCase())).toEqual([alice.address, bob.address]);
  expect(deploy).toMatchObject({ index: 1, status: 0, to: null, selector: null });
  expect(await api(`/transactions/${sent.hash}`)).toMatchObject(sent);
  expect((await api('/blocks/1/transactions')).items).toEqual([sent, deploy]);
  const [row] = await explorer.store.read('SELECT submission FROM evm_transactions WHERE position = 0');
  expect(row?.submission).toBe(sha256Hex(transfer));
  const [refused] = await explorer.store.read('SELECT position, reason FROM refusals');
  expect(refused).toMatchObject({ position: 1, reason: expect.stringContaining('no transaction') });
});

test('pages lists, and refuses what is no cursor, block, hash or rollup', async () => {
  const { chain, api, ask, indexed } = explorer;
  const alice = chain.account(0);
  for (let block = 0; block < 3; block += 1)
    await chain.sequence([0n, 1n].map((value) => alice.transfer(chain.account(1).address, value)));
  await indexed();
  const all = (await api('/transactions')).items;
  const paged = [];
  for (let cursor = ''; ; ) {
    const { items, next } = await api(`/transactions?limit=4${cursor}`);
    paged.push(...items);
    if (next === null) break;
    cursor = `&cursor=${next}`;
  }
  expect(paged).toEqual(all);
  expect(all).toHaveLength(6);
  for (const [path, status] of [
    ['/test-evm/evm/transactions?cursor=1', 400],
    ['/test-evm/evm/transactions?cursor=1-2-3', 400],
    ['/test-evm/evm/transactions?limit=101', 400],
    ['/test-evm/evm/transactions/0x12', 400],
    [`/test-evm/evm/transactions/0x${'0'.repeat(64)}`, 404],
    ['/test-evm/evm/blocks/99', 404],
    ['/test-evm/evm/blocks/latest', 400],
    ['/other/evm/blocks', 404],
  ] as const) {
    const answer = await ask(`/v1/rollups${path}`);
    expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
      path,
      status,
      'application/problem+json',
    ]);
  }
});

test('a block that cannot change is not sent twice', async () => {
  const { chain, ask, store, indexed } = explorer;
  const { block } = await chain.sequence([]);
  await indexed();
  const path = '/v1/rollups/test-evm/evm/blocks/1';
  expect((await ask(path)).headers.get('etag')).toBeNull();
  const columns =
    'height, hash, time, proposer, transactions, failed, size, submissions, submission_bytes, deposits, fees';
  const hash = String(block.header.parentBeaconBlockRoot).slice(2);
  await store.write([
    { sql: `INSERT INTO blocks (${columns}) VALUES (3, ?, 1, '', 0, 0, 0, 0, 0, 0, '[]')`, params: [hash] },
  ]);
  const etag = (await ask(path)).headers.get('etag') ?? expect.fail('no etag');
  const again = await ask(path, { headers: { 'if-none-match': etag } });
  expect([again.status, await again.text()]).toEqual([304, '']);
});
