import { createMemoryStore, type Store } from '@switchyard/machine';
import { Rejected, type TxHash, txHashFromHex } from '@switchyard/protocol';
import { afterEach, expect, test } from 'vitest';
import { MOST_DUE } from '../app/scheduled.ts';
import { address, bool, bytes, u32, u64 } from '../schema/scalars.ts';
import { record } from '../schema/shapes.ts';
import { signers } from '../testing/tally.ts';
import { testRollup } from '../testing/test-rollup.ts';
import { action, defineRollup, type HandlerContext } from './definition.ts';
import { event } from './events.ts';
import { refusal } from './refusals.ts';
import { cancel, schedule } from './schedule.ts';
import { table } from './table.ts';

const [alice, bob] = signers;
const accepted = { until: 'accepted' } as const;
const GENESIS = JSON.stringify({ rollup_name: 'clock', sequencer_chain_id: 'sequencer-0' });
const planned = event('planned', { id: bytes({ length: 32 }) });
const rang = event('rang', { name: u32, by: address });
const jammed = refusal('jammed', { name: u32 });
/** Blocks in which a bell rang. */
const rings = table({ name: 'rings', key: [u32, u64], value: record({ by: address }) });

const ring = action({
  fields: { name: u32, isJammed: bool, again: u64 },
  check({ name }) {
    if (name === 0) throw new Rejected('empty', { field: 'name' });
  },
  execute({ name, isJammed, again }, context) {
    const { state, signer, height } = context;
    rings.put(state, [name, height], { by: signer });
    if (isJammed) throw jammed({ name });
    if (name === 13) throw new TypeError('a bug of the action');
    rang.emit(context, { name, by: signer });
    if (again > 0n) schedule(context, { block: height + again }, 'ring', { name, isJammed, again: 0n });
  },
});

function knell(name: number, { state, signer, height }: HandlerContext): void {
  rings.put(state, [name, height], { by: signer });
}

const clock = defineRollup({
  name: 'clock',
  tables: [rings],
  events: [planned, rang],
  refusals: [jammed],
  actions: {
    ring,
    peal: action({ fields: { name: u32 }, steps: 600_000, execute: ({ name }, context) => knell(name, context) }),
    plan: action({
      fields: { block: u64, time: u64, name: u32, times: u32, isJammed: bool, again: u64, isLarge: bool },
      execute({ block, time, name, times, isJammed, again, isLarge }, context) {
        for (let each = 0; each < times; each += 1) {
          const at = time > 0n ? { time } : { block };
          const id = isLarge
            ? schedule(context, at, 'peal', { name: name + each })
            : schedule(context, at, ring, { name: name + each, isJammed, again });
          planned.emit(context, { id: Buffer.from(id, 'hex') });
        }
      },
    }),
    revoke: action({
      fields: { id: bytes({ length: 32 }) },
      execute({ id }, context) {
        if (!cancel(context, txHashFromHex(Buffer.from(id).toString('hex')))) throw new Rejected('not-found');
      },
    }),
  },
});

const stopping: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stopping.splice(0)) await stop();
});

async function start(store: Store = createMemoryStore()) {
  const node = await testRollup(clock, GENESIS, { store });
  stopping.push(() => node.stop());
  const getBlock = async (name: number) => {
    const found = [...rings.range(node.chain.view.snapshot, { prefix: [name], limit: 10 })];
    return found.map(([[, block]]) => block);
  };
  return { ...node, blockOf: getBlock };
}

const NOTHING = { block: 0n, time: 0n, name: 1, times: 1, isJammed: false, again: 0n, isLarge: false };

type Node = Awaited<ReturnType<typeof start>>;

/** Plans in the next block. @returns the ids. */
async function plan(node: Node, fields: Partial<typeof NOTHING>, signer = alice): Promise<TxHash[]> {
  const { hash } = await node.client.submit.plan({ ...NOTHING, ...fields }, signer, accepted);
  await node.block();
  const outcome = await node.client.wait(hash);
  return (outcome?.events ?? []).flatMap((each) =>
    each.kind === 'planned' ? [txHashFromHex(Buffer.from(each.id).toString('hex'))] : [],
  );
}

// Defect: A deadline needed a transaction by a person
test('an action is executed at its block as the account that scheduled it, with a receipt and events of its own', async () => {
  const node = await start();
  const [id = ''] = await plan(node, { block: 3n, name: 7 });
  await node.block();
  expect(await node.blockOf(7)).toEqual([]);
  expect(await node.client.rollup.transaction(id)).toBeUndefined();
  await node.block();
  expect(await node.blockOf(7)).toEqual([3n]);
  const outcome = await node.client.wait(id);
  expect(outcome).toMatchObject({ state: 'firm', block: 3n, index: 0 });
  expect(outcome?.events).toEqual([{ kind: 'rang', name: 7, by: alice.account }]);
  expect((await node.get('/v1/blocks/3')).body).toMatchObject({ executed: 1, refused: 0 });
  await node.block();
  expect(await node.blockOf(7)).toEqual([3n]);
});

test('an action that waits for a time is executed in the first block of this time or later', async () => {
  const node = await start();
  // The block of a number has 1,700,000,000 seconds and its number.
  await plan(node, { time: 1_700_000_003n, name: 4 });
  await node.block();
  expect(await node.blockOf(4)).toEqual([]);
  await node.block({ timestamp: { seconds: 1_700_000_010n, nanos: 0 } });
  expect(await node.blockOf(4)).toEqual([3n]);
});

// Defect: Jobs scheduled for one block could fill it
test('a block executes so many at most, and the others wait in their order', async () => {
  const node = await start();
  await plan(node, { block: 3n, name: 100, times: MOST_DUE });
  await plan(node, { block: 3n, name: 200, times: 2 }, bob);
  await node.block();
  expect([await node.blockOf(100), await node.blockOf(100 + MOST_DUE - 1)]).toEqual([[3n], [3n]]);
  expect([await node.blockOf(200), await node.blockOf(201)]).toEqual([[], []]);
  await node.block();
  expect([await node.blockOf(200), await node.blockOf(201)]).toEqual([[4n], [4n]]);
});

test('those of a block have the steps of one block together, and the others wait', async () => {
  const node = await start();
  await plan(node, { block: 2n, name: 1, times: 3, isLarge: true });
  for (let each = 0; each < 3; each += 1) await node.block();
  expect([await node.blockOf(1), await node.blockOf(2), await node.blockOf(3)]).toEqual([[2n], [3n], [4n]]);
});

test('one that is refused, or has a bug, leaves its receipt and nothing else, and does not come back', async () => {
  const node = await start();
  const [jam = '', ...others] = await plan(node, { block: 3n, name: 5, isJammed: true });
  const [bug = ''] = await plan(node, { block: 3n, name: 13 }, bob);
  for (let each = 0; each < 3; each += 1) await node.block();
  expect([others, await node.blockOf(5), await node.blockOf(13)]).toEqual([[], [], []]);
  const refused: unknown = await node.client.wait(jam).catch((error: unknown) => error);
  expect(jammed.factsOf(refused)).toEqual({ name: 5 });
  expect(await node.client.rollup.transaction(bug)).toMatchObject({ state: 'refused', block: 3n });
});

test('an action that was scheduled may schedule the next one', async () => {
  const node = await start();
  await plan(node, { block: 2n, name: 9, again: 2n });
  for (let each = 0; each < 5; each += 1) await node.block();
  expect(await node.blockOf(9)).toEqual([2n, 4n]);
});

test('the account that scheduled an action can take it back, once, and no other account can', async () => {
  const node = await start();
  const [id = ''] = await plan(node, { block: 5n, name: 6 });
  const revoke = async (signer: typeof alice) => {
    const { hash } = await node.client.submit.revoke({ id: Buffer.from(id, 'hex') }, signer, accepted);
    await node.block();
    return (await node.client.rollup.transaction(hash))?.state;
  };
  expect([await revoke(bob), await revoke(alice), await revoke(alice)]).toEqual(['refused', 'firm', 'refused']);
  for (let each = 0; each < 3; each += 1) await node.block();
  expect(await node.blockOf(6)).toEqual([]);
});

test('what is over, and what the check of the action refuses, cannot be scheduled', async () => {
  const node = await start();
  const fields = [{ block: 1n }, { time: 1_700_000_001n }, { block: 9n, name: 0 }];
  const reasons: (string | undefined)[] = [];
  for (const each of fields) {
    const { hash } = await node.client.submit.plan({ ...NOTHING, ...each }, alice, accepted);
    await node.block();
    reasons.push((await node.client.rollup.transaction(hash))?.reason);
  }
  expect(reasons).toEqual([
    'expired: field block, expected after 1, got 1',
    'expired: field time, expected after 1700000002, got 1700000001',
    'empty: field name',
  ]);
});

test('actions wait over a restart, and blocks that are executed again have the same hashes', async () => {
  const blocks = async (restart: boolean) => {
    const store = createMemoryStore();
    let node = await start(store);
    await plan(node, { block: 3n, name: 8, again: 1n });
    if (restart) {
      await stopping.pop()?.();
      node = await start(store);
    }
    const hashes: string[] = [];
    for (let each = 0; each < 4; each += 1) hashes.push((await node.block()).hash);
    expect(await node.blockOf(8)).toEqual([3n, 4n]);
    return hashes;
  };
  expect(await blocks(true)).toEqual(await blocks(false));
});
