import { action, defineRollup } from '../../define/definition.ts';
import { event } from '../../define/events.ts';
import { refusal } from '../../define/refusals.ts';
import { table } from '../../define/table.ts';
import { address, bytes, text, u32, u64 } from '../../schema/scalars.ts';
import { record } from '../../schema/shapes.ts';
import { LiveSocket } from '../../testing/live-socket.ts';
import { type TestNode, until } from '../../testing/test-node.ts';

/* A rollup of notes, and a client of `/v1/live` that keeps what it is sent. */

const put = event('put', { id: u32 });
const tooLarge = refusal('tooLarge', { most: u32 });
export const notes = table({
  name: 'notes',
  key: u32,
  value: record({ owner: address, text: text({ maxBytes: 100 }) }),
  indexes: { byOwner: { key: [address], of: ({ owner }) => [owner] } },
});
export const blobs = table({ name: 'blobs', key: u32, value: bytes({ maxBytes: 65_536 }) });
export const byDay = table({ name: 'byDay', key: [u64, u32], value: u32 });

export const book = defineRollup({
  name: 'book',
  tables: [notes, byDay, blobs],
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
    weigh: action({
      fields: { first: u32, count: u32 },
      execute({ first, count }, { state }) {
        for (let id = first; id < first + count; id += 1) blobs.put(state, id, new Uint8Array(65_536).fill(255));
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

export interface PartMessage {
  readonly id: number;
  readonly again?: string;
  readonly rows?: readonly { readonly key: readonly unknown[]; readonly value: unknown }[];
  readonly removed?: readonly (readonly unknown[])[];
  readonly receipts?: readonly { readonly hash: string; readonly code: number; readonly reason?: string }[];
  readonly events?: readonly { readonly event: { readonly kind: string } }[];
  readonly isWhole: boolean;
  readonly isCut?: boolean;
}
export interface Message {
  readonly block: string;
  readonly firm: string;
  readonly cursor: string;
  readonly parts: readonly PartMessage[];
}

/** A client that keeps what it is sent. */
export function connect(node: TestNode, peer?: string) {
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
      await until(() => answers.some((answer) => answer.id === id));
      return answers.find((answer) => answer.id === id);
    },
  };
}
