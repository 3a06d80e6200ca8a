import { txHashOf } from '@switchyard/protocol';
import { afterEach, expect, test } from 'vitest';
import { alice, type MessengerNode, type MessengerNodeOptions, messengerNode, text } from '../testing/messenger.ts';
import { describeContract } from './contract.suite.ts';

const nodes: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
});
async function started(options?: MessengerNodeOptions) {
  const node = await messengerNode(options);
  nodes.push(node);
  return { node, ...(await describeContract(node.app)) };
}
/** One block with a message for each nonce. */
const post = (node: MessengerNode, first: number, count: number) =>
  node.block({
    data: Array.from({ length: count }, (_, index) => text(first + index, alice, `text ${first + index + 1}`)),
  });

interface Event {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Reads a stream as a page does. */
class Reader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #rest = '';

  constructor(response: Response) {
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    this.#reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader();
  }

  /** Up to this many events; fewer if the stream ends. */
  async take(count: number): Promise<Event[]> {
    const events: Event[] = [];
    while (events.length < count) {
      const end = this.#rest.indexOf('\n\n');
      if (end < 0) {
        const { value, done } = await this.#reader.read();
        if (done) break;
        this.#rest += this.#decoder.decode(value, { stream: true });
        continue;
      }
      const lines = this.#rest.slice(0, end).split('\n');
      this.#rest = this.#rest.slice(end + 2);
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const data = field('data');
      if (data !== undefined) events.push({ id: field('id'), event: field('event'), data: JSON.parse(data) });
    }
    return events;
  }

  cancel(): Promise<void> {
    return this.#reader.cancel();
  }
}

test('messages are streamed as they are committed, as the API shows them', async () => {
  const { node, request } = await started();
  const reader = new Reader(await request('/v1/streams/messages'));
  await post(node, 0, 2);
  const events = await reader.take(2);
  expect(events.map(({ id, event }) => [id, event])).toEqual([
    ['1', 'message'],
    ['2', 'message'],
  ]);
  expect(events[1]?.data).toEqual(await (await request('/v1/messages/2')).json());
});

test.each([
  ['/v1/streams/messages', (index: number) => String(index)],
  ['/v1/streams/blocks', (index: number) => String(index)],
])('%s resumes after any event without loss or doubling, however many were missed', async (path) => {
  const { node, request } = await started();
  const expected = Array.from({ length: 450 }, (_, index) => String(index + 1));
  for (let made = 0; made < 450; made += 1) {
    // A message in each block, so that both streams have as many events.
    await post(node, made, 1);
  }
  for (const seen of [0, 1, 199, 200, 201, 449]) {
    const reader = new Reader(await request(path, { headers: { 'last-event-id': String(seen) } }));
    expect((await reader.take(450 - seen)).map(({ id }) => id)).toEqual(expected.slice(seen));
    await reader.cancel();
  }
});

test('an id that a chain of before had given begins with what comes', async () => {
  const { node, request } = await started();
  for (const path of ['/v1/streams/messages', '/v1/streams/blocks']) {
    const reader = new Reader(await request(path, { headers: { 'last-event-id': '99999' } }));
    await post(node, Number(node.chain.view.soft), 1);
    expect([path, (await reader.take(1))[0]?.id]).toEqual([path, String(node.chain.view.soft)]);
    await reader.cancel();
  }
});

test.each(['x', '-1', '1-2-3', '1'.repeat(20)])('the id %s is refused', async (id) => {
  const { request } = await started();
  for (const path of ['/v1/streams/messages', '/v1/streams/blocks']) {
    const response = await request(path, { headers: { 'last-event-id': id } });
    expect([path, response.status]).toEqual([path, 400]);
  }
});

test('the way of a transaction is streamed until it is firm', async () => {
  const { node, request } = await started();
  const bytes = text(0, alice);
  const path = `/v1/transactions/${txHashOf(bytes)}/stream`;
  expect((await request(path)).status).toBe(404);
  await request('/v1/transactions', { method: 'POST', body: Uint8Array.from(bytes) });
  const reader = new Reader(await request(path));
  expect(await reader.take(1)).toMatchObject([{ id: 'queued', event: 'outcome', data: { state: 'queued' } }]);
  await node.block({ firm: false });
  expect(await reader.take(1)).toMatchObject([{ id: 'executed', data: { state: 'executed', block: 1, index: 0 } }]);
  await node.block();
  expect(await reader.take(9)).toMatchObject([{ id: 'firm', data: { state: 'firm' } }]);
  // Past events are not repeated to a client that has seen them.
  expect(await new Reader(await request(path, { headers: { 'last-event-id': 'firm' } })).take(1)).toEqual([]);
});

test('a client that does not read keeps no place for ever, and is ended with a reason', async () => {
  let beat = (): void => undefined;
  const clock = {
    now: () => 0,
    after(_: number, call: () => void) {
      beat = call;
      return () => undefined;
    },
  };
  const { node, request } = await started({ clock });
  const slow = new Reader(await request('/v1/streams/messages'));
  const prompt = new Reader(await request('/v1/streams/messages'));
  await post(node, 0, 1);
  expect(await prompt.take(1)).toHaveLength(1);
  const waiting = prompt.take(1);
  await new Promise(setImmediate);
  for (let beats = 0; beats < 4; beats += 1) beat();
  expect(node.node.streams.size).toBe(1);
  expect(await slow.take(9)).toEqual([{ id: undefined, event: 'end', data: { reason: 'slow-reader' } }]);
  await post(node, 1, 1);
  expect(await waiting).toMatchObject([{ id: '2' }]);
});

test('later streams are refused, and admitted again when another one has ended', async () => {
  // One address may have half of them.
  const { node, request } = await started({ bounds: { maxStreams: 4 } });
  const [first] = [new Reader(await request('/v1/streams/blocks')), new Reader(await request('/v1/streams/messages'))];
  const refused = await request('/v1/streams/messages');
  expect([refused.status, await refused.json()]).toMatchObject([503, { code: 'too-many-streams' }]);
  await first.cancel();
  expect(node.node.streams.size).toBe(1);
  expect((await request('/v1/streams/messages')).status).toBe(200);
});

test('an address has so many streams and no more, and others have theirs', async () => {
  const { node } = await started({ bounds: { maxStreamsOfAddress: 2 } });
  const from = (remoteAddress: string) =>
    node.app.request('/v1/streams/blocks', {}, { incoming: { socket: { remoteAddress } } });
  expect((await from('192.0.2.1')).status).toBe(200);
  expect((await from('192.0.2.1')).status).toBe(200);
  const refused = await from('192.0.2.1');
  expect([refused.status, refused.headers.get('content-type')]).toEqual([429, 'application/problem+json']);
  expect((await from('192.0.2.2')).status).toBe(200);
  for (let opened = 0; opened < 3; opened += 1) expect((await from('127.0.0.1')).status).toBe(200);
});

test('a request for the head of a stream opens none', async () => {
  const { node } = await started();
  expect((await node.app.request('/v1/streams/blocks', { method: 'HEAD' })).status).toBe(200);
  expect(node.node.streams.size).toBe(0);
});

test('a node that stops ends its streams and gives the reason', async () => {
  const { node, request } = await started();
  const reader = new Reader(await request('/v1/streams/messages'));
  await node.stop();
  expect(await reader.take(9)).toMatchObject([{ event: 'end', data: { reason: 'node-stopping' } }]);
});
