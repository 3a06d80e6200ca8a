import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { EventParser } from './event-parser.ts';
import { followEvents, type StreamEvent } from './event-stream.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A service that answers each request as the next of `answers` does, and the ids after which it was requested to resume. */
async function service(...answers: RequestListener[]) {
  const resumed: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    resumed.push(request.headers['last-event-id'] as string | undefined);
    const answer = answers[Math.min(resumed.length, answers.length) - 1];
    answer?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, resumed };
}

const events =
  (text: string, { isOpen = false } = {}): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(text);
    if (!isOpen) response.end();
  };
const problem =
  (status: number, code: string): RequestListener =>
  (_, response) => {
    response.writeHead(status).end(JSON.stringify({ error: { code, message: code } }));
  };

async function take(count: number, stream: AsyncIterable<StreamEvent>) {
  const taken: unknown[] = [];
  for await (const { kind, id, data } of stream) {
    taken.push([kind, id, data.value]);
    if (taken.length === count) break;
  }
  return taken;
}
const follow = (url: string, lastId?: string) =>
  followEvents({ url, lastId, signal: AbortSignal.timeout(20_000), random: () => 0 });

test('a stream that ended, that broke off, and that there was no room for is resumed behind the last whole event', async () => {
  const { url, resumed } = await service(
    events('retry: 1000\n\nid: 5\nevent: block\ndata: {"n": 5}\n\nevent: end\ndata: {"reason": "slow-reader"}\n\n'),
    events(': still here\n\nid: 6\nevent: block\ndata: {"n":\ndata: 6}\n\nid: 7\nevent: block\ndata: {"n"'),
    problem(503, 'too-many-streams'),
    events('id: 7\nevent: block\ndata: {"n": 7}\n\n', { isOpen: true }),
  );
  expect(await take(3, follow(url, '4'))).toEqual([
    ['block', '5', { n: 5 }],
    ['block', '6', { n: 6 }],
    ['block', '7', { n: 7 }],
  ]);
  expect(resumed).toEqual(['4', '5', '6', '6']);
});

test('a refusal for good is an error, and so is a body that is no stream', async () => {
  const refused = await service(problem(400, 'malformed'));
  await expect(take(1, follow(refused.url, 'x'))).rejects.toMatchObject({ status: 400, code: 'malformed' });
  const other = await service(events('id: 1\ndata: <html>\n\n'));
  await expect(take(1, follow(other.url))).rejects.toThrow('message');
});

test('ends without an error when it is not wanted any more', async () => {
  const { url } = await service(events('id: 1\ndata: 1\n\n', { isOpen: true }));
  const stop = new AbortController();
  const taken: unknown[] = [];
  for await (const { id } of followEvents({ url, signal: stop.signal })) {
    taken.push(id);
    stop.abort();
  }
  expect(taken).toEqual(['1']);
});

test('however a stream is cut into pieces, it has the same events', () => {
  const text = 'id: 1\r\ndata: a\r\n\r\n: note\n\nevent: x\ndata: b\ndata:c\nid\n\ndata\n\nnothing: here\n\n';
  const whole = new EventParser().add(text);
  expect(whole).toEqual([
    { kind: 'message', id: '1', data: 'a' },
    { kind: 'x', id: '', data: 'b\nc' },
    { kind: 'message', id: undefined, data: '' },
  ]);
  fc.assert(
    fc.property(fc.array(fc.nat({ max: text.length }), { maxLength: 8 }), (cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), text.length];
      const parser = new EventParser();
      expect(places.slice(1).flatMap((to, index) => parser.add(text.slice(places[index], to)))).toEqual(whole);
    }),
  );
});

test('an event that does not end is refused before it fills the memory', () => {
  const parser = new EventParser();
  expect(() => {
    for (let piece = 0; piece < 100; piece += 1) parser.add(`data: ${'x'.repeat(100_000)}\n`);
  }).toThrow('expected events of at most');
  expect(() => new EventParser().add('x'.repeat(5_000_000))).toThrow('expected events of at most');
});
