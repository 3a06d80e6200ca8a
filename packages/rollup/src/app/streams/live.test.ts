import { afterEach, expect, test } from 'vitest';
import { action, defineRollup } from '../../define/definition.ts';
import { event } from '../../define/events.ts';
import { refusal } from '../../define/refusals.ts';
import { table } from '../../define/table.ts';
import { address, text, u32, u64 } from '../../schema/scalars.ts';
import { record } from '../../schema/shapes.ts';
import { LiveSocket } from '../../testing/live-socket.ts';
import { signers } from '../../testing/tally.ts';
import type { TestNodeOptions } from '../../testing/test-node.ts';
import { testRollup } from '../../testing/test-rollup.ts';

const [alice] = signers;
const accepted = { until: 'accepted' } as const;
const put = event('put', { id: u32 });
const tooLarge = refusal('tooLarge', { most: u32 });
const notes = table({
  name: 'notes',
  key: u32,
  value: record({ owner: address, text: text({ maxBytes: 100 }) }),
  indexes: { byOwner: { key: [address], of: ({ owner }) => [owner] } },
});
const byDay = table({ name: 'byDay', key: [u64, u32], value: u32 });

const book = defineRollup({
  name: 'book',
  tables: [notes, byDay],
  events: [put],
  refusals: [tooLarge],
  actions: {
    write: action({
      fields: { id: u32, text: text({ maxBytes: 100 }) },
      execute({ id, text: words }, context) {
        if (id > 1_000) throw tooLarge({ most: 1_000 });
        if (words === '') notes.delete(context.state, id);
        else notes.put(context.state, id, { owner: context.signer, text: words });
        byDay.put(context.state, [context.height, id], id);
        put.emit(context, { id });
      },
    }),
    fill: action({
      fields: { first: u32, count: u32 },
      execute({ first, count }, { state, signer }) {
        for (let id = first; id < first + count; id += 1) notes.put(state, id, { owner: signer, text: `note ${id}` });
      },
    }),
  },
});

const stopping: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stopping.splice(0)) await stop();
});

async function start(options: TestNodeOptions = {}) {
  const node = await testRollup(
    book,
    JSON.stringify({ rollup_name: 'book', sequencer_chain_id: 'sequencer-0' }),
    options,
  );
  stopping.push(() => node.stop());
  return node;
}
type Node = Awaited<ReturnType<typeof start>>;

interface PartMessage {
  readonly id: number;
  readonly again?: string;
  readonly rows?: readonly { readonly key: readonly unknown[]; readonly value: unknown }[];
  readonly removed?: readonly (readonly unknown[])[];
  readonly receipts?: readonly { readonly hash: string; readonly code: number; readonly reason?: string }[];
  readonly events?: readonly { readonly event: { readonly kind: string } }[];
  readonly isWhole: boolean;
  readonly isCut?: boolean;
}
interface Message {
  readonly block: string;
  readonly firm: string;
  readonly cursor: string;
  readonly parts: readonly PartMessage[];
}

/** A client that keeps what it is sent. */
function connect(node: Node, peer?: string) {
  const socket = new LiveSocket(node, peer);
  const messages: Message[] = [];
  const answers: {
    readonly id: number;
    readonly result?: unknown;
    readonly error?: { readonly data?: string; message: string };
  }[] = [];
  const closed: { readonly code: number; readonly reason: string }[] = [];
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data) as { readonly params: Message } & (typeof answers)[number];
    if ('params' in message) messages.push(message.params);
    else answers.push(message);
  };
  socket.onclose = (event) => void closed.push(event);
  let calls = 0;
  return {
    ...{ socket, messages, answers, closed },
    async call(method: string, ...params: readonly unknown[]) {
      calls += 1;
      const id = calls;
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      await settle(() => answers.some((answer) => answer.id === id));
      return answers.find((answer) => answer.id === id);
    },
  };
}

async function settle(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1_000 && !condition(); turn += 1) await new Promise(setImmediate);
  expect(condition()).toBe(true);
}

async function write(node: Node, ...written: readonly (readonly [id: number, text: string])[]) {
  for (const [id, words] of written) await node.client.submit.write({ id, text: words }, alice, accepted);
  await node.block();
}

test('a part begins with its rows and has then what each block changes, with every commit in the header', async () => {
  const node = await start();
  await write(node, [1, 'one'], [2, 'two']);
  const client = connect(node);
  expect(await client.call('live_follow', { id: 7, table: 'notes' })).toMatchObject({ result: true });
  await settle(() => client.messages.length === 1);
  expect(client.messages[0]).toMatchObject({
    block: '1',
    firm: '1',
    parts: [{ id: 7, removed: [], isWhole: true, rows: [{ key: [1], value: { text: 'one' } }, { key: [2] }] }],
  });
  await write(node, [1, ''], [3, 'three']);
  await settle(() => client.messages.length === 2);
  expect(client.messages[1]).toMatchObject({
    block: '2',
    parts: [{ id: 7, removed: [[1]], isWhole: true, rows: [{ key: [3], value: { text: 'three' } }] }],
  });
  await node.block();
  await settle(() => client.messages.length === 3);
  expect(client.messages[2]).toMatchObject({ block: '3', parts: [] });
});
