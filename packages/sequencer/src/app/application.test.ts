import { balances, createMemoryStore, nonces } from '@switchyard/machine';
import { decodeRollupData, rollupIdFromName, sha256, toHex } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { SCRIPT } from './script.testing.ts';
import { validators } from './tables/authority.ts';
import { lastTransactions } from './tables/bridge.ts';
import { nonceSpenders } from './tables/spenders.ts';
import {
  alice,
  appStateJson,
  bob,
  bridge,
  CHAT,
  data,
  initBridge,
  lock,
  type MadeBlock,
  NRIA,
  PINNED_FEES,
  sudo,
  TestNode,
  testGenesis,
  transfer,
  validator,
} from './testing.ts';

async function playScript(node = new TestNode()): Promise<MadeBlock[]> {
  const made: MadeBlock[] = [];
  for (const block of SCRIPT) {
    for (const [signer, actions] of block) node.submit(signer, ...actions);
    made.push(await node.make());
  }
  return made;
}

const rollupItems = (node: TestNode, height: bigint, rollup = CHAT) =>
  node.app.blocks
    .full(height)
    ?.rollups.find((entry) => entry.rollup === rollup)
    ?.transactions.map((bytes) => {
      const item = decodeRollupData(bytes);
      return item.kind === 'sequencedData' ? new TextDecoder().decode(item.data) : item.kind;
    });

test('begins with the genesis state, in memory until the first commit', () => {
  const node = new TestNode();
  expect(node.app.info()).toMatchObject({ data: 'astria_sequencer', height: 0n, appVersion: 1n });
  expect(balances.get(node.app.committed(), [alice.account, NRIA.id])).toBe(1_000_000n);
  expect(node.app.initChain(testGenesis())).toEqual(node.app.initChain(testGenesis()));
});

test('every action of the script is executed, and leaves these roots', async () => {
  const made = await playScript(new TestNode({ appState: appStateJson({ fees: PINNED_FEES }) }));
  expect(made.flatMap(({ result }) => result.txResults.map(({ code }) => code))).toEqual(
    Array.from({ length: 2 * SCRIPT.length + SCRIPT.flat().length }, () => 0),
  );
  // Pinned: another root means a different chain.
  expect(made.map(({ result }) => toHex(result.appHash))).toEqual([
    'cd5667a8d0b7e9639eca2d499ef79f31a70e393bb4ecdd3e52cbaa080ada66ab',
    '63fa26324206d7e8735b6b78604990e11185e09917380e2a3793d53794c0cd88',
    '1c71dbbaee34ebc35007e3be91bbf9352a27dbdcabdc3e10cd81f16244ea6b91',
    '439e9c747280a46a92e1f94689cce6b6c68303133b0986879eab3fcb1daf0c91',
    '6ff14de83ec061cb81e4190e0faca42678d802d28d0fd9c29b167ab5a4a2ce07',
  ]);
});

test('replaying the blocks gives the same results and roots', async () => {
  const made = await playScript();
  const replica = new TestNode();
  for (const { block, result } of made) {
    expect(replica.app.processProposal(block)).toBe('accept');
    expect(await replica.make(block.txs)).toEqual({ block, result });
  }
});

test('a block is executed alike whether it was proposed, checked, or only decided', async () => {
  const [proposer, checker, follower] = [new TestNode(), new TestNode(), new TestNode()];
  proposer.submit(alice, data('x'), transfer(bob, 7n));
  const entries = proposer.prepare();
  const block = { ...proposer.proposal(entries), hash: sha256(...entries) };
  expect(checker.app.processProposal(block)).toBe('accept');
  const results = [proposer, checker, follower].map((node) => node.app.finalizeBlock(block));
  expect(results[1]).toEqual(results[0]);
  expect(results[2]).toEqual(results[0]);
});

test('deposits come after all data of their rollup, wherever the lock stood', async () => {
  const node = new TestNode();
  node.submit(bridge, initBridge());
  await node.make();
  node.submit(alice, lock(40n), data('one'));
  node.submit(bob, data('two'), data('elsewhere', rollupIdFromName('other')));
  const { result } = await node.make();
  expect(rollupItems(node, 2n)).toEqual(['one', 'two', 'deposit']);
  expect(rollupItems(node, 2n, rollupIdFromName('other'))).toEqual(['elsewhere']);
  expect(result.txResults[2]?.events.map(({ type }) => type)).toEqual(['tx.fees', 'tx.deposit', 'tx.fees']);
});

test('a deposit event has all its attributes', async () => {
  const node = new TestNode();
  node.submit(bridge, initBridge());
  await node.make();
  const bytes = node.submit(alice, data('first'), lock(40n));
  const { result } = await node.make();
  const deposit = result.txResults[2]?.events.find(({ type }) => type === 'tx.deposit');
  expect(Object.fromEntries((deposit?.attributes ?? []).map(({ key, value }) => [key, value]))).toEqual({
    bridgeAddress: expect.stringMatching(/^astria1/),
    rollupId: expect.stringMatching(/^[\w-]{43}=$/),
    amount: '40',
    asset: 'nria',
    destinationChainAddress: '0xabc',
    sourceTransactionId: toHex(sha256(bytes)),
    sourceActionIndex: '1',
  });
});

test('a bridge account may take two blocks to begin its work, and no more', async () => {
  const node = new TestNode();
  node.submit(bridge, initBridge());
  node.submit(bridge, data('at work'));
  const [first, second] = [await node.make(), await node.make()];
  expect([first.block.txs.length, second.block.txs.length]).toEqual([3, 3]);
  expect(rollupItems(node, 2n)).toEqual(['at work']);
});

test('the last transaction of a bridge account is one that it signed as such', async () => {
  const node = new TestNode();
  node.submit(bridge, initBridge());
  await node.make();
  expect(lastTransactions.get(node.app.snapshot(), bridge.account)).toBeUndefined();
  const bytes = node.submit(bridge, data('x'));
  await node.make();
  expect(lastTransactions.get(node.app.snapshot(), bridge.account)).toBe(toHex(sha256(bytes)));
});

test('remembers which transaction used a nonce', async () => {
  const node = new TestNode();
  const bytes = node.submit(alice, data('x'));
  await node.make();
  expect(nonceSpenders.get(node.app.snapshot(), [alice.account, 0])).toEqual({
    hash: toHex(sha256(bytes)),
    height: 1n,
  });
});

test('tells the engine about validators, the last word for each', async () => {
  const node = new TestNode();
  const set = (key: typeof alice, power: bigint) =>
    ({ kind: 'validatorUpdate', publicKey: key.publicKey, power, name: '' }) as const;
  node.submit(sudo, set(alice, 5n), set(bob, 1n), set(alice, 7n));
  const { result } = await node.make();
  expect(result.validatorUpdates).toEqual([
    { publicKey: alice.publicKey, power: 7n },
    { publicKey: bob.publicKey, power: 1n },
  ]);
});

test('a validator that misbehaved leaves the set, unless it is the last', async () => {
  const node = new TestNode();
  const evidence = (who: typeof alice) => ({
    kind: 'duplicate-vote' as const,
    address: Buffer.from(who.account, 'hex'),
    power: 10n,
    height: 1n,
    time: { seconds: 1n, nanos: 0 },
    totalPower: 10n,
  });
  node.submit(sudo, { kind: 'validatorUpdate', publicKey: alice.publicKey, power: 3n, name: '' });
  await node.make();
  const entries = node.prepare();
  const misbehavior = [evidence(validator), evidence(alice)];
  node.app.finalizeBlock({ ...node.proposal(entries), misbehavior, hash: sha256(...entries) });
  await node.app.commit();
  const left = [validator, alice].map(({ account }) => validators.has(node.app.snapshot(), account));
  expect(left).toEqual([false, true]);
});

test('commit is the only write', async () => {
  const node = new TestNode();
  node.submit(alice, data('x'));
  const entries = node.prepare();
  const block = { ...node.proposal(entries), hash: sha256(...entries) };
  node.app.processProposal(block);
  const result = node.app.finalizeBlock(block);
  expect(node.app.info().height).toBe(0n);
  expect(nonces.get(node.app.committed(), alice.account)).toBe(0);
  expect(node.app.finalizeBlock(block)).toBe(result);
  await node.app.commit();
  expect(node.app.info()).toMatchObject({ height: 1n, appHash: result.appHash });
  expect(nonces.get(node.app.committed(), alice.account)).toBe(1);
});

test('a restart resumes after the last commit', async () => {
  const store = createMemoryStore();
  const node = new TestNode({ store });
  node.submit(alice, data('x'));
  const { result } = await node.make();
  const again = new TestNode({ store });
  expect(again.app.info()).toMatchObject({ height: 1n, appHash: result.appHash });
  expect(rollupItems(again, 1n)).toEqual(['x']);
  expect(() => again.app.initChain(testGenesis())).toThrow('a database that holds blocks');
});

test('a block out of turn is a mistake of the engine and not executed', () => {
  const node = new TestNode();
  const block = { ...node.proposal(node.prepare()), height: 2n, hash: new Uint8Array(32) };
  expect(() => node.app.finalizeBlock(block)).toThrow('block 2 on top of height 0');
});

test('new prices hold for what waits already', async () => {
  const node = new TestNode();
  const price = { kind: 'feeChange', action: 'rollupDataSubmission', base: 2_000_000n, multiplier: 0n } as const;
  node.submit(sudo, price);
  await node.make();
  const waiting = node.check(node.sign(alice, [data('x')]));
  expect(node.app.mempool.findState(waiting.hash)).toBe('parked');
  node.submit(sudo, { ...price, base: 1n });
  await node.make();
  expect(node.app.mempool.findState(waiting.hash)).toBe('pending');
});

test('new prices hold at intake from the block on that sets them', async () => {
  const node = new TestNode();
  const standing = () => node.app.mempool.findState(node.check(node.sign(alice, [data('x')])).hash);
  // Its price is looked up, and remembered for later ones.
  expect(standing()).toBe('pending');
  node.submit(sudo, { kind: 'feeChange', action: 'rollupDataSubmission', base: 2_000_000n, multiplier: 0n });
  await node.make();
  expect(standing()).toBe('parked');
});

test("a genesis without limits keeps the wire's, another sets its own", async () => {
  const limits = { max_sequenced_bytes_per_block: 1_000_000, max_transaction_bytes: 500_000 };
  const node = new TestNode({ appState: appStateJson({ limits }) });
  node.submit(alice, data('x'.repeat(400_000)));
  node.submit(alice, data('y'.repeat(400_000)));
  node.submit(bob, data('z'.repeat(400_000)));
  expect([(await node.make()).block.txs.length, (await node.make()).block.txs.length]).toEqual([4, 3]);
  expect(new TestNode().check(node.sign(bob, [data('x'.repeat(300_000))])).code).toBe(5);
});

test('an engine that died over the first block begins again, even with another one', async () => {
  const node = new TestNode();
  const first = { ...node.proposal(node.prepare()), hash: new Uint8Array(32).fill(1) };
  node.app.finalizeBlock(first);
  expect(node.app.info().height).toBe(0n);
  node.app.initChain(testGenesis());
  const entries = node.prepare();
  node.app.finalizeBlock({ ...node.proposal(entries), hash: new Uint8Array(32).fill(2) });
  await node.app.commit();
  expect(node.app.info().height).toBe(1n);
});
