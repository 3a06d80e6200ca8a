import { create, toBinary } from '@bufbuild/protobuf';
import { balances } from '@switchyard/machine';
import { commitRollupData, rollupIdFromBytes, type Signer, sha256, toHex } from '@switchyard/protocol';
import { comet } from '@switchyard/protocol/gen';
import { encodeSequencedData } from '@switchyard/protocol/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { soloSupport } from '../engine/solo/support.ts';
import {
  alice,
  appStateJson,
  bob,
  bridge,
  CHAT,
  data,
  initBridge,
  lock,
  NRIA,
  PINNED_FEES,
  sudo,
  TestNode,
  transfer,
  validator,
} from './testing.ts';
import type { EngineSupport } from './types.ts';

const texts = (...items: string[]) =>
  new Map([[CHAT, items.map((item) => encodeSequencedData(new TextEncoder().encode(item)))]]);

/** The two roots over this data, as an honest proposer would put them. */
function getRoots(...items: string[]): Uint8Array[] {
  const { rollupTransactionsRoot, rollupIdsRoot } = commitRollupData(items.length === 0 ? new Map() : texts(...items));
  return [rollupTransactionsRoot, rollupIdsRoot];
}

const process = (node: TestNode, entries: readonly Uint8Array[]) => node.app.processProposal(node.proposal(entries));

const power = (who: Signer, value = 1n) =>
  ({ kind: 'validatorUpdate', publicKey: who.publicKey, power: value, name: '' }) as const;

test('what the engine cannot carry out comes into no proposal, and leaves the pool with the reason', async () => {
  let support: EngineSupport = () => {};
  const node = new TestNode({ engineSupport: (action) => support(action) });
  const before = node.submit(sudo, power(bob));
  support = soloSupport(validator.publicKey);
  const other = node.submit(alice, transfer(bob, 1n));
  expect(node.prepare().slice(2)).toEqual([other]);
  expect(node.check(before)).toMatchObject({ code: 10, log: expect.stringContaining('run the chain under CometBFT') });
  const { block } = await node.make([...getRoots(), other]);
  expect(block.height).toBe(1n);
});

test('a decided block is executed whatever the engine supports, so that a chain replays', async () => {
  const node = new TestNode({ engineSupport: soloSupport(validator.publicKey) });
  const { result } = await node.make([...getRoots(), node.sign(sudo, [power(bob)])]);
  expect(result.validatorUpdates).toEqual([{ publicKey: bob.publicKey, power: 1n }]);
});

test('a transaction that no block has room for does not hold up the others', () => {
  const node = new TestNode();
  node.submit(alice, data('x'.repeat(20_000)));
  const small = node.submit(bob, data('y'));
  expect(node.prepare(10_000).slice(2)).toEqual([small]);
  expect(node.prepare(30_000)).toHaveLength(4);
});

test('no proposal adds validators whose signatures would fill the block, at which CometBFT panics', () => {
  const node = new TestNode();
  const bytes = node.submit(sudo, power(alice), power(bob));
  expect(node.prepare(4_096 + 2 * 109)).toHaveLength(3);
  const tight = new TestNode();
  expect(tight.check(bytes).code).toBe(0);
  expect(tight.prepare(4_096 + 2 * 109 - 1)).toHaveLength(2);
  expect(tight.check(bytes)).toMatchObject({ code: 10, log: expect.stringContaining('signatures of more validators') });
});

test('an empty block holds two roots of nothing', () => {
  const entries = new TestNode().prepare();
  const ofNothing = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  expect(entries.map((entry) => toHex(entry))).toEqual([ofNothing, ofNothing]);
});

test('accepts an honest block of another proposer', () => {
  const node = new TestNode();
  const txs = [node.sign(alice, [data('a'), data('b')]), node.sign(bob, [data('c')])];
  expect(process(node, [...getRoots('a', 'b', 'c'), ...txs])).toBe('accept');
});

test.each<[string, (node: TestNode, tx: (who: Signer, text: string, nonce?: number) => Uint8Array) => Uint8Array[]]>([
  ['no entries at all', () => []],
  ['one root', () => getRoots().slice(0, 1)],
  ['a root of another length', () => [new Uint8Array(31), new Uint8Array(32)]],
  ['a wrong root over the data', (_, tx) => [sha256(), getRoots('a')[1] as Uint8Array, tx(alice, 'a')]],
  ['a wrong root over the ids', (_, tx) => [getRoots('a')[0] as Uint8Array, sha256(), tx(alice, 'a')]],
  ['a transaction left out', (_, tx) => [...getRoots('a', 'b'), tx(alice, 'a')]],
  ['a transaction twice', (_, tx) => [...getRoots('a', 'a'), tx(alice, 'a', 0), tx(alice, 'a', 0)]],
  ['a nonce left out', (_, tx) => [...getRoots('a'), tx(alice, 'a', 1)]],
  ['nonces in the wrong order', (_, tx) => [...getRoots('b', 'a'), tx(alice, 'b', 1), tx(alice, 'a', 0)]],
  ['bytes that are no transaction', () => [...getRoots(), new Uint8Array([255])]],
  ['a transaction of another chain', (node) => [...getRoots('a'), node.sign(alice, [data('a')], 0, 'other-1')]],
  [
    'a signature that does not hold',
    (_, tx) => [...getRoots('a'), tx(alice, 'a').map((byte, index) => (index === 5 ? byte ^ 1 : byte))],
  ],
  ['money that is not there', (node) => [...getRoots(), node.sign(alice, [transfer(bob, 2_000_000n)])]],
  ['an oversized transaction', (_, tx) => [...getRoots('x'.repeat(256_000)), tx(alice, 'x'.repeat(256_000))]],
  [
    'more data than a block may hold',
    (_, tx) => [
      ...getRoots('x'.repeat(150_000), 'y'.repeat(150_000)),
      tx(alice, 'x'.repeat(150_000)),
      tx(bob, 'y'.repeat(150_000)),
    ],
  ],
  [
    'groups in the wrong order',
    (node) => [...getRoots('a'), node.sign(bridge, [initBridge()]), node.sign(alice, [data('a')])],
  ],
])('rejects %s', (_, make) => {
  const node = new TestNode();
  const entries = make(node, (who, text, nonce) => node.sign(who, [data(text)], nonce));
  expect(process(node, entries)).toBe('reject');
});

test('accepts the same groups in the right order', () => {
  const node = new TestNode();
  expect(process(node, [...getRoots('a'), node.sign(alice, [data('a')]), node.sign(bridge, [initBridge()])])).toBe(
    'accept',
  );
});

test('proposals that are not decided leave no trace', async () => {
  const [node, other] = [new TestNode(), new TestNode()];
  const spend = (value: bigint) => [...getRoots(), node.sign(alice, [transfer(bob, value)], 0)];
  node.submit(alice, data('mine'));
  node.prepare();
  expect(process(node, spend(1n))).toBe('accept');
  expect(process(node, spend(2n))).toBe('accept');
  expect(process(node, [sha256(), sha256()])).toBe('accept');
  node.prepare();
  const decided = spend(3n);
  const [here, there] = [await node.make(decided), await other.make(decided)];
  expect(here).toEqual(there);
  expect(balances.get(node.app.snapshot(), [bob.account, NRIA.id])).toBe(1_000_003n);
});

test('a decided block with a transaction that fails has a result for each entry', async () => {
  const node = new TestNode();
  const broken = node.sign(alice, [transfer(bob, 2_000_000n)], 0);
  const entries = [...getRoots('b'), broken, node.sign(bob, [data('b')]), new Uint8Array([255])];
  expect(process(node, entries)).toBe('reject');
  const { result } = await node.make(entries);
  expect(result.txResults.map(({ code }) => code)).toEqual([0, 0, 10, 0, 10]);
  expect(result.txResults[2]).toMatchObject({
    info: 'execution failed',
    log: expect.stringContaining('insufficient balance'),
  });
  // It is as if it had not been there: no fee, no nonce.
  expect(balances.get(node.app.snapshot(), [alice.account, NRIA.id])).toBe(1_000_000n);
  node.submit(alice, data('again'));
});

test('halts on a decided block whose roots are not those of its data', () => {
  const node = new TestNode();
  const entries = [...getRoots('not there'), node.sign(alice, [data('a')])];
  expect(() => node.app.finalizeBlock({ ...node.proposal(entries), hash: sha256(...entries) })).toThrow(
    'does not begin with the roots',
  );
});

test('stops filling at the first transaction that does not fit, and keeps it for the next block', async () => {
  const node = new TestNode();
  const [first, second] = [node.submit(alice, data('x'.repeat(1_000))), node.submit(alice, data('y'.repeat(1_000)))];
  node.submit(bob, data('z'));
  const room = 64 + first.length + second.length - 1;
  // Bob's small one would fit, but comes before alice's second by distance.
  expect(node.prepare(room)).toHaveLength(4);
  // Alice's first fits into no block of that size, and does not keep bob waiting.
  expect(node.prepare(64 + first.length - 1)).toHaveLength(3);
  expect(node.app.mempool.pendingCount).toBe(3);
  await node.make(node.prepare(room));
  expect(node.app.mempool.pendingCount).toBe(1);
});

test('passes over data that would exceed the block, and continues with what fits', async () => {
  const node = new TestNode();
  node.submit(alice, data('x'.repeat(200_000)));
  node.submit(bob, data('y'.repeat(200_000)));
  node.submit(sudo, data('z'));
  const entries = node.prepare();
  expect(entries.map(({ length }) => Math.floor(length / 100_000))).toEqual([0, 0, 2, 0]);
  await node.make(entries);
  expect((await node.make()).block.txs).toHaveLength(3);
});

test('a transaction that has become invalid since it came in is removed with a reason', async () => {
  const node = new TestNode();
  const update = (power: bigint) => ({ kind: 'validatorUpdate', publicKey: bob.publicKey, power, name: '' }) as const;
  const bytes = [node.submit(sudo, update(1n)), node.submit(sudo, update(2n))];
  // Another node's block takes the authority away in the meantime.
  await node.make([...getRoots()]);
  const takeover = node.sign(sudo, [{ kind: 'sudoAddressChange', newAddress: transfer(alice, 0n).to }], 0);
  await node.make([...getRoots(), takeover]);
  expect(node.check(bytes[0] as Uint8Array).code).toBe(4);
  expect(node.app.mempool.pendingCount).toBe(1);
  expect(node.prepare()).toHaveLength(2);
  expect(node.check(bytes[1] as Uint8Array)).toMatchObject({ code: 10, log: expect.stringContaining('unauthorized') });
});

test('what is proposed fits as CometBFT counts it: the length of the encoded list of entries', () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 20_000 }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(lengths, fc.integer({ min: 100, max: 60_000 }), (texts, room) => {
      const node = new TestNode();
      for (const length of texts) node.submit(alice, data('x'.repeat(length)));
      const entries = node.prepare(room);
      const encoded = toBinary(comet.DataSchema, create(comet.DataSchema, { txs: [...entries] }));
      expect(encoded.length).toBeLessThanOrEqual(room);
    }),
    { numRuns: 50 },
  );
});

test('whatever is submitted, what is proposed is accepted by everybody else', async () => {
  const people = [alice, bob, sudo, bridge];
  const action = fc.oneof(
    fc.string({ minLength: 1, maxLength: 50 }).map((text) => data(text)),
    fc
      .tuple(fc.constantFrom(...people), fc.bigInt({ min: 0n, max: 800_000n }))
      .map(([to, value]) => transfer(to, value)),
    fc.bigInt({ min: 0n, max: 10n }).map((value) => lock(value)),
    fc.constant(initBridge()),
  );
  const submission = fc.tuple(fc.constantFrom(...people), fc.array(action, { minLength: 1, maxLength: 3 }), fc.nat(3));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(submission, { maxLength: 8 }), { maxLength: 4 }), async (rounds) => {
      const [proposer, follower] = [new TestNode(), new TestNode({ appState: appStateJson() })];
      const nonces = new Map<Signer, number>();
      for (const round of rounds) {
        for (const [signer, actions, skip] of round) {
          const nonce = (nonces.get(signer) ?? 0) + (skip === 3 ? 1 : 0);
          try {
            if (proposer.check(proposer.sign(signer, actions, nonce)).code === 0) nonces.set(signer, nonce + 1);
          } catch {
            // Actions of two groups cannot even be signed into one transaction that decodes.
          }
        }
        const entries = proposer.prepare();
        expect(process(follower, entries)).toBe('accept');
        expect(await proposer.make(entries)).toEqual(await follower.make(entries));
      }
    }),
    { numRuns: 40 },
  );
});

const malleated = (bytes: Uint8Array) => Uint8Array.from([...bytes, 0x20, 1]);

// Defect: Sequencer: a signed envelope could be re-encoded and stay valid
test('where the genesis asks for it, a block holds no envelope in another encoding, and the original is not spent', async () => {
  const node = new TestNode({ appState: appStateJson({ canonical_transactions: true }) });
  const tx = node.sign(alice, [data('a')]);
  expect(process(node, [...getRoots('a'), malleated(tx)])).toBe('reject');
  expect(process(node, [...getRoots('a'), tx])).toBe('accept');
  const { result } = await node.make([...getRoots(), malleated(tx)]);
  expect(result.txResults[2]).toMatchObject({ code: 10, log: expect.stringContaining('not canonical') });
  expect(node.check(tx).code).toBe(0);
});

test('a chain from before that rule takes such an envelope in a block, with the same root as ever', async () => {
  const node = new TestNode({ appState: appStateJson({ fees: PINNED_FEES }) });
  const tx = malleated(node.sign(alice, [data('a')]));
  expect(process(node, [...getRoots('a'), tx])).toBe('accept');
  const { result } = await node.make([...getRoots('a'), tx]);
  expect(result.txResults[2]?.code).toBe(0);
  // The app hash that the code before the rule computed for this block.
  expect(toHex(result.appHash)).toBe('794776c6cabd86f57199c2d0b72367d44027674ae5023291a8f378793022adb5');
});

test('where the genesis asks for it, no block has data for a rollup that can be posted nowhere, and an old chain replays', async () => {
  const rollup = rollupIdFromBytes(Uint8Array.from({ length: 32 }, (_, index) => (index < 9 ? 0 : 7)));
  const action = { ...data('a'), rollup };
  const { rollupTransactionsRoot, rollupIdsRoot } = commitRollupData(
    new Map([[rollup, [encodeSequencedData(action.data)]]]),
  );
  const entries = (tx: Uint8Array) => [rollupTransactionsRoot, rollupIdsRoot, tx];
  const node = new TestNode({ appState: appStateJson({ refuse_reserved_rollup_ids: true }) });
  const tx = node.sign(alice, [action]);
  expect(node.check(tx)).toMatchObject({ code: 19, log: expect.stringContaining('nine zero bytes') });
  expect(process(node, entries(tx))).toBe('reject');
  const { result } = await node.make([...getRoots(), tx]);
  expect(result.txResults[2]).toMatchObject({ code: 10, log: expect.stringContaining('nine zero bytes') });
  const old = new TestNode();
  expect([old.check(tx).code, process(old, entries(tx))]).toEqual([0, 'accept']);
  expect((await old.make(entries(tx))).result.txResults[2]?.code).toBe(0);
});
