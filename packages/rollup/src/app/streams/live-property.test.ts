import { createMemoryStore } from '@switchyard/machine';
import { formatAddress } from '@switchyard/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { signers } from '../../testing/tally.ts';
import { until } from '../../testing/test-node.ts';
import { testRollup } from '../../testing/test-rollup.ts';
import { book, connect, type Message, notes } from './book.testing.ts';

const [alice, bob] = signers;
const owner = formatAddress(alice.account);
const GENESIS = JSON.stringify({ rollup_name: 'book', sequencer_chain_id: 'sequencer-0' });
/** Parts of each client, as it follows them and as rows of a block. */
const PARTS = [
  { id: 1, table: 'notes' },
  { id: 2, table: 'notes', index: 'byOwner', prefix: [owner] },
  { id: 3, table: 'notes', prefix: [3] },
  { id: 4, table: 'nonces' },
] as const;

type Rows = Map<string, string>;
type Node = Awaited<ReturnType<typeof testRollup<never, (typeof book)['actions'], never, never>>>;

/** Rows of all parts after the newest block, by their keys. */
function expectedRows({ chain }: Pick<Node, 'chain'>): readonly Rows[] {
  const { snapshot } = chain.view;
  const all = notes.range(snapshot, { limit: 10_000 });
  const toRows = (found: typeof all): Rows =>
    new Map(found.map(([id, { owner: of, text }]) => [String(id), `${formatAddress(of)} ${text}`]));
  const nonces = [alice, bob].flatMap(({ account }): [string, string][] => {
    const stored = snapshot.get(`accounts/nonce/${account}`);
    return stored === undefined ? [] : [[formatAddress(account), String(Buffer.from(stored).readUInt32BE())]];
  });
  return [
    toRows(all),
    toRows(all.filter(([, { owner: of }]) => of === alice.account)),
    toRows(all.filter(([id]) => id === 3)),
    new Map(nonces),
  ];
}

/** Takes messages in, and compares at each cut at which all parts are whole. */
class Replica {
  readonly #rows: readonly Rows[] = PARTS.map(() => new Map());
  readonly #whole = new Set<number>();
  cursor: string | undefined;
  cuts = 0;

  take({ block, cursor, parts }: Message, byBlock: ReadonlyMap<string, readonly Rows[]>): void {
    for (const { id, again, rows = [], removed = [], isWhole } of parts) {
      const own = this.#rows[id - 1] as Rows;
      if (again !== undefined) own.clear();
      for (const key of removed) own.delete(key.join('/'));
      for (const { key, value } of rows) {
        const { owner: of, text } = Object(value) as { owner?: string; text?: string };
        own.set(key.join('/'), of === undefined ? String(value) : `${of} ${text}`);
      }
      if (isWhole) this.#whole.add(id);
      else this.#whole.delete(id);
    }
    if (this.#whole.size < PARTS.length) return;
    this.cuts += 1;
    this.cursor = cursor;
    expect({ block, rows: this.#rows }).toEqual({ block, rows: byBlock.get(block) });
  }

  /** The connection was lost: parts are whole again with the next connection. */
  lost(): void {
    this.#whole.clear();
  }
}

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      id: fc.nat({ max: 9 }),
      text: fc.constantFrom('', 'a', 'b'),
      by: fc.nat({ max: 1 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('fill' as const),
      first: fc.nat({ max: 20 }),
      count: fc.integer({ min: 1, max: 700 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('block' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('pause' as const, 'resume' as const, 'reconnect' as const, 'restart' as const),
    }),
  },
);

test('however blocks, pauses, lost connections and restarts follow each other, whole parts are the rows after their block', async () => {
  let cuts = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), fc.boolean(), async (steps, isPruned) => {
      const store = createMemoryStore();
      const options = { store, ...(isPruned && { retention: { blocks: 3, ageMs: undefined } }) };
      const byBlock = new Map<string, readonly Rows[]>();
      const replica = new Replica();
      const start = async () => testRollup(book, GENESIS, options as never);
      let node = await start();
      const open = async () => {
        const opened = connect(node);
        let taken = 0;
        const read = (): void => {
          for (; taken < opened.messages.length; taken += 1) replica.take(opened.messages[taken] as Message, byBlock);
        };
        replica.lost();
        for (const part of PARTS) {
          const from = replica.cursor === undefined ? {} : { from: replica.cursor };
          expect(await opened.call('live_follow', { ...part, ...from })).toMatchObject({ result: true });
        }
        return { ...opened, read };
      };
      byBlock.set('0', expectedRows(node));
      let client = await open();
      for (const each of steps) {
        const signer = 'by' in each && each.by === 1 ? bob : alice;
        if (each.do === 'write')
          await node.client.submit.write({ id: each.id, text: each.text }, signer, { until: 'accepted' });
        if (each.do === 'fill')
          await node.client.submit.fill({ first: each.first, count: each.count }, alice, { until: 'accepted' });
        if (each.do === 'block') {
          const { number } = await node.block();
          byBlock.set(String(number), expectedRows(node));
        }
        if (each.do === 'pause') client.socket.pause();
        if (each.do === 'resume') client.socket.resume();
        if (each.do === 'reconnect' || each.do === 'restart') {
          client.read();
          client.socket.close();
          if (each.do === 'restart') {
            await node.block();
            byBlock.set(String(node.chain.view.soft), expectedRows(node));
            await node.stop();
            node = await start();
          }
          client = await open();
        }
        await new Promise(setImmediate);
        client.read();
      }
      client.socket.resume();
      const { block } = { block: String(node.chain.view.soft) };
      await until(
        () =>
          client.messages.at(-1)?.block === block &&
          client.messages.at(-1)?.parts.every(({ isWhole }) => isWhole) === true,
      );
      client.read();
      cuts += replica.cuts;
      await node.stop();
    }),
    { numRuns: 12 },
  );
  expect(cuts).toBeGreaterThan(50);
});
