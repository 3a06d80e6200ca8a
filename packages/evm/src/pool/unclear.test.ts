import { afterEach, expect, test } from 'vitest';
import { alice, getHash, signed, World } from './testing/world.ts';

const open: World[] = [];
afterEach(async () => {
  for (const world of open.splice(0)) await world.close();
});
async function world(): Promise<World> {
  const made = new World();
  open.push(made);
  await made.run();
  return made;
}

const first = signed(alice);
const second = signed(alice, { nonce: 1n });

// Defect: EVM pool: bytes acknowledged because an attempt with an unknown outcome came before
test('the same bytes are not acknowledged because an attempt with an unknown outcome came before', async () => {
  const w = await world();
  w.composer.mode = 'broken';
  const waiting = w.pool.send(first);
  await w.run(500);
  const outcome = w.outcome(waiting);
  await w.close();
  expect(await outcome).toMatch(/the node is stopping; transaction .* may be on its way/);
  // Libraries take "already known" for an acceptance.
  expect(await w.send(first)).toMatch(/may be on its way/);
  expect(await w.outcome(w.pool.status(getHash(first)))).toMatchObject({ status: 'unclear' });
  expect(w.composer.queued).toEqual([]);
});

test('a composer that does not detect copies gets an unclear one again only after a while, and then what comes after it', async () => {
  const w = await world();
  w.composer.detectsCopies = false;
  w.composer.mode = 'lost';
  expect(await w.send(first)).toMatch(/may be on its way/);
  w.composer.mode = 'up';
  await w.run(2_000);
  expect([await w.send(second), w.pool.counts]).toEqual([getHash(second), { sent: 0, held: 2 }]);
  await w.run(20_000);
  expect([w.composer.copies, w.composer.queued]).toEqual([0, [first]]);
  await w.block();
  await w.run(2_000);
  expect([w.chain.isIncluded(first), w.composer.queued, w.composer.copies]).toEqual([true, [second], 0]);
});

test('one that never came to that composer is sent again in the end', async () => {
  const w = await world();
  w.composer.detectsCopies = false;
  w.composer.mode = 'lost';
  expect(await w.send(first)).toMatch(/may be on its way/);
  w.composer.forget();
  w.composer.mode = 'up';
  await w.run(35_000);
  expect([w.composer.queued, w.pool.counts]).toEqual([[first], { sent: 1, held: 0 }]);
});

// Defect: EVM rollup: sequenced transactions that were not executed unknown after a restart
test('after a kill, what is sequenced and not executed yet counts as sent', async () => {
  const w = await world();
  expect(await w.send(first)).toBe(getHash(first));
  const data = w.composer.sequence(w.chain.sequencerHeight + 1n);
  await w.restart('killed');
  expect([w.pool.nextNonce(alice.address), await w.send(second)]).toEqual([1n, getHash(second)]);
  w.chain.block([...data, ...w.composer.sequence(w.chain.sequencerHeight + 1n)]);
  expect([w.chain.isIncluded(first), w.chain.isIncluded(second)]).toEqual([true, true]);
});

test('nothing is sent to a sequencer that does not have the blocks that were executed here', async () => {
  const w = await world();
  w.composer.position = { latest: 9n, height: 9n, hash: 'another block' };
  await w.run(6_000);
  expect(await w.send(first)).toMatch(/nothing was accepted: .* another block 9 .* restored from an older backup/);
  expect([w.pool.trouble, w.composer.queued]).toEqual([expect.stringContaining('another block 9'), []]);
  w.composer.position = { latest: 9n, height: 9n, hash: 'block 9' };
  await w.run(6_000);
  expect([await w.send(first), w.pool.trouble]).toEqual([getHash(first), undefined]);
});
