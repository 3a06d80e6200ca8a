import { balances, createMemoryStore, nonces } from '@switchyard/machine';
import { type Deposit, formatAddress, txHashOf } from '@switchyard/protocol';
import { afterEach, expect, test } from 'vitest';
import { signers, signSpend, TOKEN, tallyGenesis, tallyRollup } from '../testing/tally.ts';
import { testNode } from '../testing/test-node.ts';
import { origins } from './tables.ts';

const [alice, bob] = signers;
const nodes: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
});
async function started(...args: Parameters<typeof tallyRollup>) {
  const node = await testNode(tallyRollup(...args));
  nodes.push(node);
  return node;
}
const balance = ({ chain }: Awaited<ReturnType<typeof started>>) =>
  balances.get(chain.view.snapshot, [alice.account, TOKEN]);

function flipped(bytes: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(bytes);
  // The signature begins after its two bytes of framing.
  copy[10] = (copy[10] ?? 0) ^ 1;
  return copy;
}

test.each([
  ['garbage', Uint8Array.of(1, 2, 3), 1, /malformed/],
  ['nothing', new Uint8Array(0), 9, /empty/],
  ['too many bytes', new Uint8Array(1_001), 8, /too large/],
  ['a wrong signature', flipped(signSpend({ nonce: 0 })), 2, /bad signature/],
  ['another chain', signSpend({ nonce: 0, chainId: 'other' }), 7, /wrong chain/],
  ['a nonce to come', signSpend({ nonce: 7 }), 4, /nonce too high.*expected 0, got 7/],
  ['more than is held', signSpend({ nonce: 0, amount: 1_001n }), 6, /insufficient balance/, 1],
  ['an action that is refused', signSpend({ nonce: 0, amount: 0n }), 9, /empty/, 1],
])('a block skips %s, records why, and continues', async (_, bytes, code, reason, next = 0) => {
  const node = await started();
  await node.block({ data: [bytes, signSpend({ nonce: next }), bytes] });
  expect(node.chain.view.block).toMatchObject({ executed: 1, refused: 2 });
  expect(balance(node)).toBe(999n);
  const hash = txHashOf(bytes);
  const { body } = await node.get(`/v1/transactions/${hash}`);
  expect(body).toMatchObject({
    hash,
    state: 'refused',
    block: 1,
    code: expect.any(Number),
    reason: expect.any(String),
  });
  const { body: block } = await node.get('/v1/blocks/1');
  expect(block).toMatchObject({
    refusals: [{ index: 0, hash, code, message: expect.stringMatching(reason) }, { index: 2 }],
  });
});

const malleated = (bytes: Uint8Array) => Uint8Array.from([...bytes, 0x20, 1]);

// Defect: Messenger: a signed envelope could be re-encoded and stay valid
test('where the genesis asks for it, an envelope in another encoding is passed over, and the original is executed', async () => {
  const node = await started(tallyGenesis({ canonicalTransactions: true }));
  const bytes = signSpend({ nonce: 0 });
  await node.block({ data: [malleated(bytes), bytes] });
  expect(node.chain.view.block).toMatchObject({ executed: 1, refused: 1 });
  const { body } = await node.get(`/v1/transactions/${txHashOf(bytes)}`);
  expect(body).toMatchObject({ state: 'firm' });
  const { body: block } = await node.get('/v1/blocks/1');
  expect(block).toMatchObject({ refusals: [{ code: 31, message: expect.stringContaining('not canonical') }] });
});

test('a chain from before that rule executes it', async () => {
  const node = await started();
  const { hash } = await node.block({ data: [malleated(signSpend({ nonce: 0 }))] });
  expect(node.chain.view.block).toMatchObject({ executed: 1, refused: 0 });
  // Pinned: another hash means a different rule.
  expect(hash).toBe('23395b30350fe4a3428ea3985c19246acc7554f725eaa014482e212bf3e98ca0');
});

test('a database from before that rule knows its genesis', async () => {
  const store = createMemoryStore();
  const first = await testNode(tallyRollup(), { store });
  await first.stop();
  // The digest that the code before the rule wrote.
  expect(origins.get(store.snapshot())?.digest).toBe(
    '55d6e9734fbff5651603ba312344b5e7ee578abbc6184b1dd6bb096c7f680e27',
  );
});

test('a copy of an executed transaction is refused, and the outcome stays executed', async () => {
  const node = await started();
  const bytes = signSpend({ nonce: 0 });
  await node.block({ data: [bytes, bytes] });
  await node.block({ data: [bytes] });
  expect(balance(node)).toBe(999n);
  const { body } = await node.get(`/v1/transactions/${txHashOf(bytes)}`);
  expect(body).toMatchObject({ state: 'firm', block: 1, index: 0, sequencerHeight: 11 });
});

test('a transaction that is refused first and executed later ends as executed', async () => {
  const node = await started();
  const late = signSpend({ nonce: 1 });
  await node.block({ data: [late] });
  await node.block({ data: [signSpend({ nonce: 0 }), late] });
  const { body } = await node.get(`/v1/transactions/${txHashOf(late)}`);
  expect(body).toMatchObject({ state: 'firm', block: 2, index: 1 });
});

// Defect: A stranger executed a refused transaction by its public bytes once the account was paid
test('a refused transaction that a stranger posts again moves nothing, and keeps its outcome', async () => {
  const node = await started(genesis);
  const bytes = signSpend({ nonce: 0, amount: 1_500n });
  await node.block({ data: [bytes] });
  const refused = (await node.get(`/v1/transactions/${txHashOf(bytes)}`)).body;
  expect(refused).toMatchObject({
    state: 'refused',
    block: 1,
    reason: expect.stringContaining('insufficient balance'),
  });

  await node.block({ deposits: [deposit({ amount: 1_000n })] });
  await node.block({ data: [bytes, bytes] });
  expect([balance(node), nonces.get(node.chain.view.snapshot, alice.account)]).toEqual([2_000n, 1]);
  expect((await node.get(`/v1/transactions/${txHashOf(bytes)}`)).body).toEqual(refused);
  // Its sender, who may have lost the answer, is sent to that outcome.
  expect(await node.post('/v1/transactions', bytes)).toMatchObject({ status: 202 });
  expect(node.composer.queued).toEqual([]);
});

// Defect: After a refusal the accepted transactions behind it were refused for their nonces
test('what was accepted behind a refused transaction is executed', async () => {
  const node = await started(genesis, 10n);
  const sent = [0, 1, 2, 3, 4].map((nonce) => signSpend({ nonce, amount: 2n }));
  for (const bytes of sent) expect(await node.post('/v1/transactions', bytes)).toMatchObject({ status: 202 });
  // Another key of the same account has used the funds that nonce 0 would spend.
  const [first, ...later] = node.composer.sequence(11n);
  const other = signSpend({ nonce: 0, amount: 11n });
  await node.block({ data: [other, first ?? other, ...later] });
  expect(node.chain.view.block).toMatchObject({ executed: 4, refused: 2 });
  expect(balance(node)).toBe(2n);
  expect(await node.post('/v1/transactions', signSpend({ nonce: 5, amount: 2n }))).toMatchObject({ status: 202 });
});

test('a block of badly signed transactions does not take for ever', async () => {
  const node = await started();
  const bad = Array.from({ length: 300 }, (_, index) => flipped(signSpend({ nonce: 0, amount: BigInt(index + 1) })));
  await node.block({ data: [...bad, signSpend({ nonce: 0 })] });
  expect(node.chain.view.block).toMatchObject({ executed: 1, refused: 300 });
  // Reasons are kept for the first ones only, codes for all.
  const { body } = await node.get('/v1/blocks/1');
  expect(body).toMatchObject({ refusals: { length: 256 } });
  const last = await node.get(`/v1/transactions/${txHashOf(bad[299] ?? new Uint8Array(0))}`);
  expect(last.body).toMatchObject({ state: 'refused', code: 2, reason: 'bad signature' });
});

test('without a firm commitment a transaction is executed, with one it is firm', async () => {
  const node = await started();
  const bytes = signSpend({ nonce: 0 });
  await node.block({ data: [bytes], firm: false });
  expect((await node.get(`/v1/transactions/${txHashOf(bytes)}`)).body).toMatchObject({ state: 'executed' });
  await node.block();
  expect((await node.get(`/v1/transactions/${txHashOf(bytes)}`)).body).toMatchObject({ state: 'firm' });
});

const bridge = { account: bob.account, prefix: 'astria' };
const genesis = tallyGenesis({ bridgeAccounts: new Set([bob.account]) });
const deposit = (changes: Partial<Deposit> = {}): Deposit => ({
  bridge,
  rollup: genesis.rollup,
  amount: 5n,
  asset: 'token',
  destination: formatAddress(alice.account),
  sourceTransaction: txHashOf(Uint8Array.of(7)),
  sourceAction: 0n,
  ...changes,
});

test('a deposit is credited before the transactions of its block', async () => {
  const node = await started(genesis, 1n);
  await node.block({ data: [signSpend({ nonce: 0, amount: 6n })], deposits: [deposit()] });
  expect(node.chain.view.block).toMatchObject({ executed: 1, deposits: 1, skippedDeposits: 0 });
  expect(balance(node)).toBe(0n);
});

test.each([
  ['an unreadable destination', { destination: '0xabc' }, /malformed/],
  ['no destination', { destination: '' }, /malformed/],
  ['half a character for a destination', { destination: '\ud800' }, /malformed/],
  ['an unknown bridge', { bridge: { account: alice.account, prefix: 'astria' } }, /not a bridge/],
  ['another rollup', { rollup: tallyGenesis().rollup.replace(/^./, 'f') as Deposit['rollup'] }, /unauthorized/],
  ['an unreadable asset', { asset: 'a/b' }, /malformed/],
  ['an amount that overflows', { amount: (1n << 128n) - 1n }, /overflow/],
])('a deposit with %s is skipped and recorded', async (_, changes: Partial<Deposit>, reason) => {
  const node = await started(genesis);
  await node.block({ data: [signSpend({ nonce: 0 })], deposits: [deposit(changes), deposit()] });
  expect(node.chain.view.block).toMatchObject({ executed: 1, deposits: 1, skippedDeposits: 1 });
  expect(balance(node)).toBe(1_004n);
  const { body } = await node.get('/v1/deposits/skipped');
  expect(body).toMatchObject({
    deposits: [{ id: 1, block: 1, amount: String(changes.amount ?? 5n), reason: expect.stringMatching(reason) }],
  });
  expect((await node.get('/v1/deposits/skipped?after=1')).body).toEqual({ deposits: [] });
});

test('the block hash distinguishes deposits that differ only in what they credit', async () => {
  const getHash = async (...deposits: Deposit[]) => (await (await started(genesis)).block({ deposits })).hash;
  const hashes = [
    await getHash(),
    await getHash(deposit()),
    await getHash(deposit({ amount: 6n })),
    await getHash(deposit({ asset: 'coin' })),
    await getHash(deposit({ destination: formatAddress(bob.account) })),
    await getHash(deposit({ sourceAction: 1n })),
    await getHash(deposit({ destination: 'nowhere' })),
  ];
  expect(new Set(hashes).size).toBe(hashes.length);
});

test('a database that was begun with another genesis is refused', async () => {
  const store = createMemoryStore();
  const first = await testNode(tallyRollup(), { store });
  await first.stop();
  const other = tallyRollup(tallyGenesis({ rollupName: 'other' }));
  await expect(testNode(other, { store })).rejects.toThrow(/GENESIS_FILEPATH.*"tally".*"other"/);
});
