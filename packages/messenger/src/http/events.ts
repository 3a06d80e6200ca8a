import { type CommitListener, type CommittedBlock, type RollupNode, rfc3339 } from '@switchyard/rollup';
import { FairSlots, type Occupant, toJson } from '@switchyard/service';
import { type AnyRoute, type RawAnswer, route } from '@switchyard/service/api';
import type { MessengerEvent } from '../actions/handler.ts';
import { textCount } from '../tables/texts.ts';
import { textJson } from './text-json.ts';

/** With more, the address that has most of them loses its oldest. */
const MAX_CLIENTS = 256;
/** A client that is so far behind is let go; it finds what it missed under `/v1/texts`. */
const MAX_WAITING_BYTES = 1_048_576;
const HEARTBEAT_MS = 15_000;

const STREAM_HEADERS = { 'cache-control': 'no-store', 'x-accel-buffering': 'no' };
const EVENT_STREAM: RawAnswer = {
  mediaType: 'text/event-stream',
  description: 'A stream that stays open',
  schema: { type: 'string' },
};

/** Server-sent events: each new text, and each block, as they are committed. */
export function eventRoute(node: RollupNode<MessengerEvent>): AnyRoute {
  const clients = new Set<(frames: Uint8Array) => void>();
  const slots = new FairSlots<Occupant>({ max: MAX_CLIENTS, maxOf: () => MAX_CLIENTS });
  const encoder = new TextEncoder();
  const send = (frames: string): void => {
    const bytes = encoder.encode(frames);
    for (const client of clients) client(bytes);
  };
  node.onCommit((view, committed) => {
    if (clients.size > 0) send(framesOf(view, committed));
  });
  const heartbeat = setInterval(() => send(': still here\n\n'), HEARTBEAT_MS);
  heartbeat.unref();
  node.signal.addEventListener('abort', () => clearInterval(heartbeat), { once: true });

  return route({
    method: 'get',
    url: '/v1/events',
    id: 'streamEvents',
    tag: 'Streams',
    summary: 'Server-sent events: each new message and each block, as they are committed',
    answers: { 200: EVENT_STREAM },
    handle: ({ client, signal }) => ({ status: 200, body: streamFor(client, signal), headers: STREAM_HEADERS }),
  });

  function streamFor(peer: string, gone: AbortSignal): ReadableStream<Uint8Array> {
    let end = (): void => undefined;
    return new ReadableStream<Uint8Array>(
      {
        start(controller) {
          const client = (frames: Uint8Array): void => {
            controller.enqueue(frames);
            if ((controller.desiredSize ?? 0) <= 0) end();
          };
          end = () => {
            if (!clients.delete(client)) return;
            slots.leave(listener);
            node.signal.removeEventListener('abort', end);
            controller.close();
          };
          const listener: Occupant = { peer, activity: 'busy', since: performance.now(), evict: end };
          clients.add(client);
          slots.enter(listener);
          node.signal.addEventListener('abort', end, { once: true });
          gone.addEventListener('abort', end, { once: true });
          client(encoder.encode(`retry: 1000\n\n`));
        },
        cancel: () => end(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MAX_WAITING_BYTES }),
    );
  }
}

type View = Parameters<CommitListener<MessengerEvent>>[0];

/** The texts and blocks of a commit, in order. A text has the id of its event, so a client can resume after it. */
function framesOf({ snapshot, soft, firm }: View, committed: readonly CommittedBlock<MessengerEvent>[]): string {
  const total = committed.reduce(
    (sum, { events }) => sum + events.filter(({ event }) => event.kind === 'text').length,
    0,
  );
  let id = textCount(snapshot) - BigInt(total);
  const frames: string[] = [];
  for (const { number, hash, time, events, receipts } of committed) {
    for (const { event, signer, transaction } of events) {
      if (event.kind !== 'text') continue;
      const text = { id, name: event.name, text: event.text, sender: signer, block: number, time, transaction };
      frames.push(`id: ${id}\nevent: text\ndata: ${toJson(textJson(text))}\n\n`);
      id += 1n;
    }
    const block = { number, hash, time: rfc3339(time), transactions: receipts.length };
    frames.push(`event: block\ndata: ${toJson(block)}\n\n`);
  }
  if (committed.length === 0) frames.push(`event: commitment\ndata: ${toJson({ soft, firm })}\n\n`);
  return frames.join('');
}
