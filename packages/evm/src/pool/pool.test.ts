import { txHashOf } from '@switchyard/protocol';
import { afterEach, expect, test } from 'vitest';
import { alice, bob, ETHER, GWEI, getHash, signed, World, type WorldOptions } from './testing/world.ts';

const open: World[] = [];
afterEach(async () => {
  for (const world of open.splice(0)) await world.close();
});

async function world(options?: WorldOptions): Promise<World> {
  const made = new World(options);
  open.push(made);
  await made.run();
  return made;
}

test.each([
  ['at once', false],
  ['over a wire', true],
])('what was sent is pending until a block has it, where accounts are answered %s', async (_, isRemote) => {
  const w = await world({ isRemote });
  const announced: string[] = [];
  w.pool.onPending(({ hash }) => announced.push(hash));
  const [first, second] = [signed(alice), signed(alice, { nonce: 1n })];
  const both = [w.pool.send(first), w.pool.send(second)];
  expect(await w.outcome(Promise.all(both))).toEqual([getHash(first), getHash(second)]);
  expect(w.composer.queued).toEqual([first, second]);
  expect(announced).toEqual([getHash(first), getHash(second)]);
  expect(w.pool.get(getHash(second))).toMatchObject({ from: alice.address, nonce: 1n, raw: second, state: 'sent' });
  expect(await w.outcome(w.pool.pendingNonce(alice.address))).toBe(2n);
  expect(
    w.pool
      .content()
      .pending.get(alice.address)
      ?.map(({ nonce }) => nonce),
  ).toEqual([0n, 1n]);
  expect(w.pool.pending(1).map(({ hash }) => hash)).toEqual([getHash(first)]);
  expect(await w.outcome(w.pool.status(getHash(first)))).toEqual({ status: 'queued' });
  await w.block();
  expect([w.pool.get(getHash(first)), w.pool.counts]).toEqual([undefined, { sent: 0, held: 0 }]);
  const included = { status: 'included', block: 1n, index: 1, success: true, firm: false };
  expect(await w.outcome(w.pool.status(getHash(second)))).toEqual(included);
  expect(await w.outcome(w.pool.pendingNonce(alice.address))).toBe(2n);
});

test('the answer waits for the composer, and the same bytes wait with it', async () => {
  const w = await world();
  w.composer.mode = 'lost';
  const raw = signed(alice);
  const [one, two] = [w.pool.send(raw), w.pool.send(raw)];
  await w.run(500);
  w.composer.mode = 'up';
  expect(await w.outcome(Promise.all([one, two]))).toEqual([getHash(raw), getHash(raw)]);
  expect(w.composer.queued).toEqual([raw]);
  expect(await w.send(raw)).toBe('already known');
});

test('a composer that does not answer leaves it open, and the error names how to find out', async () => {
  const w = await world();
  w.composer.mode = 'broken';
  const raw = signed(alice);
  expect(await w.send(raw)).toBe(
    `the composer has not answered for 15 seconds; transaction ${getHash(raw)} may be on its way: ask switchyard_transactionStatus, or send the same bytes again`,
  );
  expect(w.pool.nextNonce(alice.address)).toBe(1n);
  w.composer.mode = 'up';
  await w.run(5_000);
  expect(w.composer.queued).toEqual([raw]);
  expect(await w.send(raw)).toBe('already known');
});

test('without a composer nothing is taken, and the nonce stays free', async () => {
  const w = await world();
  w.composer.mode = 'down';
  expect(await w.send(signed(alice))).toBe('nothing was accepted: the composer is not reachable; send it again later');
  expect([w.pool.nextNonce(alice.address), w.pool.counts, w.pool.trouble]).toEqual([
    0n,
    { sent: 0, held: 0 },
    'the composer is not reachable',
  ]);
  w.composer.mode = 'up';
  await w.run(5_000);
  expect([await w.send(signed(alice)), w.pool.trouble]).toEqual([getHash(signed(alice)), undefined]);
});

test('what the composer will never take is refused with its reason', async () => {
  const w = await world();
  const raw = signed(alice);
  w.composer.refused.set(txHashOf(raw), 'the data has 9 bytes, expected at most 5');
  expect(await w.send(raw)).toBe('the composer refused it: the data has 9 bytes, expected at most 5');
  expect(w.pool.nextNonce(alice.address)).toBe(0n);
});

test('what was promised counts: pending transactions take from the balance', async () => {
  const w = await world();
  await w.send(signed(alice, { value: 6n * ETHER }));
  const gas = 21_000n * 2n * GWEI;
  expect(await w.send(signed(alice, { nonce: 1n, value: 6n * ETHER }))).toBe(
    `insufficient funds for gas * price + value: balance ${10n * ETHER}, queued cost ${6n * ETHER + gas}, tx cost ${6n * ETHER + gas}, overshot ${2n * (6n * ETHER + gas) - 10n * ETHER}`,
  );
});

test('what was sent cannot be replaced', async () => {
  const w = await world();
  const first = signed(alice);
  await w.send(first);
  const more = { maxFeePerGas: 4n * GWEI, maxPriorityFeePerGas: 2n * GWEI };
  expect(await w.send(signed(alice, { value: 2n }))).toBe('replacement transaction underpriced');
  expect(await w.send(signed(alice, more))).toBe(
    `nonce 0 is taken: ${getHash(first)} is already on its way to the sequencer and cannot be replaced; use nonce 1 or a later one`,
  );
});

test('a transaction that another one has overtaken names it', async () => {
  const w = await world();
  const [mine, other] = [signed(alice), signed(alice, { value: 7n })];
  await w.send(mine);
  w.chain.block([other]);
  await w.run();
  expect(w.pool.get(getHash(mine))).toBeUndefined();
  expect(await w.outcome(w.pool.status(getHash(mine)))).toEqual({ status: 'replaced', by: getHash(other) });
  await w.block();
  expect(await w.outcome(w.pool.status(getHash(mine)))).toEqual({ status: 'replaced', by: getHash(other) });
});

test('what a block refuses for good leaves, with the reason', async () => {
  const w = await world();
  const raw = signed(alice, { value: 9n * ETHER });
  await w.send(raw);
  w.chain.setBalance(alice.address, ETHER);
  await w.block();
  await w.run(2_000);
  expect(w.pool.counts).toEqual({ sent: 0, held: 0 });
  expect(await w.outcome(w.pool.status(getHash(raw)))).toMatchObject({
    status: 'refused',
    block: 1n,
    code: 'insufficient-funds',
  });
  expect(w.pool.nextNonce(alice.address)).toBe(0n);
});

test('what a full block had no room for is sent again, in order, until it is in one', async () => {
  const w = await world();
  w.chain.blockGas = 50_000n;
  const all = [0n, 1n, 2n, 3n, 4n].map((nonce) => signed(alice, { nonce }));
  for (const raw of all) await w.send(raw);
  await w.block();
  expect([w.pool.counts, w.composer.queued]).toEqual([{ sent: 3, held: 0 }, all.slice(2)]);
  await w.block();
  await w.block();
  expect(all.every((raw) => w.chain.isIncluded(raw))).toBe(true);
  expect(w.pool.counts).toEqual({ sent: 0, held: 0 });
});

test('what a risen base fee refuses waits until it has fallen, and so does what comes after it', async () => {
  const w = await world();
  const [first, second] = [signed(alice), signed(alice, { nonce: 1n, maxFeePerGas: 9n * GWEI })];
  await w.send(first);
  await w.send(second);
  w.chain.nextBaseFee = 3n * GWEI;
  await w.block();
  expect(w.pool.counts).toEqual({ sent: 0, held: 2 });
  expect(await w.outcome(w.pool.status(getHash(first)))).toMatchObject({
    status: 'held',
    missing: 0n,
    reason: expect.stringContaining('max fee per gas less than block base fee'),
  });
  w.chain.nextBaseFee = GWEI;
  await w.run(1_000);
  await w.block();
  expect([w.chain.isIncluded(first), w.chain.isIncluded(second)]).toEqual([true, true]);
});

test('what no block has room for is given up in the end', async () => {
  const w = await world();
  w.chain.blockGas = 1_000n;
  await w.send(signed(alice));
  for (let block = 0; block < 110; block += 1) await w.block();
  await w.run(2_000);
  expect(w.pool.counts).toEqual({ sent: 0, held: 0 });
  expect(await w.outcome(w.pool.status(getHash(signed(alice))))).toMatchObject({
    status: 'refused',
    code: 'block-gas',
  });
});

test('a copy that another node sequenced too early does not end ours', async () => {
  const w = await world();
  const [first, second] = [signed(alice), signed(alice, { nonce: 1n })];
  await w.send(first);
  await w.send(second);
  w.chain.block([second]);
  await w.run();
  expect([w.pool.nextNonce(alice.address), w.composer.queued]).toEqual([2n, [first, second]]);
  await w.block();
  expect([w.chain.isIncluded(first), w.chain.isIncluded(second)]).toEqual([true, true]);
});

test('what the composer has lost is sent again', async () => {
  const w = await world();
  const raw = signed(alice);
  await w.send(raw);
  w.composer.forget();
  await w.run(25_000);
  expect(w.composer.queued).toEqual([raw]);
});

test('what the sequencer refuses leaves with its reason', async () => {
  const w = await world();
  const raw = signed(alice);
  await w.send(raw);
  w.composer.forget();
  w.composer.refused.set(txHashOf(raw), 'too large for a block');
  await w.run(25_000);
  const refused = { status: 'refused', code: 'composer', reason: 'too large for a block' };
  expect(await w.outcome(w.pool.status(getHash(raw)))).toEqual(refused);
  await w.restart();
  expect(await w.outcome(w.pool.status(getHash(raw)))).toEqual(refused);
});

test('a full pool takes nothing more', async () => {
  const w = await world({ bounds: { maxSent: 2 } });
  await w.send(signed(alice));
  await w.send(signed(bob));
  expect(await w.send(signed(bob, { nonce: 1n }))).toBe(
    'txpool is full: too many transactions wait for a block; send it again later',
  );
});

test('a transaction that was never sent is unknown', async () => {
  const w = await world();
  expect(await w.outcome(w.pool.status(getHash(signed(alice))))).toEqual({ status: 'unknown' });
});
