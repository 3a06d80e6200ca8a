import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNetwork, type Network, until } from '../support/network.ts';
import { ask, fund, newSigner, writeTexts } from '../support/submitting.ts';

/** Live streams of the HTTP API against real processes: what was seen before and after a kill is everything, once. */
let network: Network;

beforeAll(async () => {
  network = await createNetwork();
  await network.switchyard('dev', 'setconfig', 'blockinterval', '100', '--instance', network.instance);
  await network.start();
});

afterAll(() => network?.dispose());

/** A reader of server-sent events that connects again with the last id, as a browser does. */
class Follower {
  readonly ids: string[] = [];
  connections = 0;
  readonly #url: string;
  #current: IncomingMessage | undefined;
  #stopped = false;

  constructor(url: string, lastId: string) {
    this.#url = url;
    this.#connect(lastId);
  }

  stop(): void {
    this.#stopped = true;
    this.#current?.destroy();
  }

  #connect(lastId: string): void {
    const again = (): void => {
      if (!this.#stopped) setTimeout(() => this.#connect(this.ids.at(-1) ?? lastId), 100);
    };
    const headers = { accept: 'text/event-stream', 'last-event-id': lastId };
    const outgoing = get(this.#url, { agent: false, headers }, (incoming) => {
      this.#current = incoming;
      if (incoming.statusCode === 200) this.connections += 1;
      let rest = '';
      incoming.setEncoding('utf8');
      incoming.on('data', (chunk: string) => {
        const frames = (rest + chunk).split('\n\n');
        // An event that was cut short does not count.
        rest = frames.pop() ?? '';
        for (const frame of frames) {
          const id = /^id: (.+)$/m.exec(frame)?.[1];
          if (id !== undefined) this.ids.push(id);
        }
      });
      incoming.on('error', () => undefined);
      incoming.on('close', again);
    });
    outgoing.on('error', () => {
      if (this.#current === undefined || this.#current.closed) again();
    });
  }
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

test('two streams resume without loss or doubling though the node is killed under load', async () => {
  const url = network.url('rollup');
  const { chainId } = (await ask(`${url}/v1/status`)).body;
  const writers = Array.from({ length: 4 }, newSigner);
  await fund(url, chainId, writers);
  // From the beginning of the chain: what was before them, and what comes.
  const messages = new Follower(`${url}/v1/streams/messages`, '0');
  const blocks = new Follower(`${url}/v1/streams/blocks`, '0');

  let stopped = false;
  const writing = writers.map((signer, index) =>
    writeTexts(url, signer, { chainId, name: `writer ${index}`, until: () => stopped }),
  );
  for (const round of [1, 2, 3]) {
    const seen = messages.ids.length;
    await until(`messages are streamed, round ${round}`, async () =>
      messages.ids.length > seen + 20 ? true : undefined,
    );
    const pid = await network.pid('rollup');
    process.kill(pid, 'SIGKILL');
    await until(`the node has been started again, round ${round}`, async () =>
      (await network.pid('rollup')) === pid ? undefined : true,
    );
    const before = messages.connections;
    await until(`the stream is open again, round ${round}`, async () =>
      messages.connections > before || messages.connections > round ? true : undefined,
    );
  }
  stopped = true;
  const written = (await Promise.all(writing)).flat();
  expect(written.length).toBeGreaterThan(60);
  await until('every text is executed', async () =>
    Number((await ask(`${url}/v1/status`)).body.texts) > written.length ? true : undefined,
  );

  const { texts, soft } = (await ask(`${url}/v1/status`)).body;
  await until('both streams have caught up', async () =>
    messages.ids.length >= texts - 1 && blocks.ids.length >= soft.number ? true : undefined,
  );
  messages.stop();
  blocks.stop();
  expect(messages.ids).toEqual(numbers(1, messages.ids.length));
  expect(blocks.ids).toEqual(numbers(1, blocks.ids.length));
  expect(messages.ids.length).toBe(written.length);
  expect([messages.connections, blocks.connections].every((count) => count >= 3)).toBe(true);
});

test('the document of a node that runs describes what it answers', async () => {
  const url = network.url('rollup');
  const { body: document } = await ask(`${url}/v1/openapi.json`);
  expect(document.openapi).toBe('3.1.1');
  expect((await fetch(`${url}/docs`)).headers.get('content-type')).toContain('text/html');
  const { body: found } = await ask(`${url}/v1/messages?q=writer&limit=5`);
  expect(found.messages).toHaveLength(5);
});
