import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { followEvents } from '@switchyard/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNetwork, type Network, root, run, until } from '../support/network.ts';
import { ask, fund, newSigner, writeTexts } from '../support/submitting.ts';

/** Live streams of the HTTP API against real processes: the events seen before and after a kill are all, once. */
let network: Network;

beforeAll(async () => {
  network = await createNetwork({ isBare: true });
  await network.switchyard('dev', 'setconfig', 'blockinterval', '100', '--instance', network.instance);
  await network.start();
});

afterAll(() => network?.dispose());

/** A program that follows a stream with our client, through any number of connections. */
class Follower {
  readonly ids: string[] = [];
  connections = 0;
  readonly #stopped = new AbortController();
  readonly #ended: Promise<void>;

  constructor(url: string, lastId: string) {
    this.#ended = this.#follow(url, lastId);
  }

  /** @throws the error that ended the stream. */
  stop(): Promise<void> {
    this.#stopped.abort();
    return this.#ended;
  }

  async #follow(url: string, lastId: string): Promise<void> {
    const counted = async (to: string, init: RequestInit) => {
      const response = await fetch(to, init);
      if (response.ok) this.connections += 1;
      return response;
    };
    const events = followEvents({ url, lastId, signal: this.#stopped.signal, fetch: counted });
    for await (const { id } of events) if (id !== undefined) this.ids.push(id);
  }
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

test('two streams resume without loss or doubling though the node is killed under load', async () => {
  const url = network.url('rollup');
  const { chainId } = (await ask(`${url}/v1/status`)).body;
  const writers = Array.from({ length: 4 }, newSigner);
  await fund(url, chainId, writers);
  // From the beginning of the chain: earlier ones, and new ones.
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
    await until(`both streams are open again, round ${round}`, () =>
      [messages, blocks].every(({ connections }) => connections > round) ? true : undefined,
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
  await Promise.all([messages.stop(), blocks.stop()]);
  expect(messages.ids).toEqual(numbers(1, messages.ids.length));
  expect(blocks.ids).toEqual(numbers(1, blocks.ids.length));
  expect(messages.ids.length).toBe(written.length);
});

test('the document of a node that runs describes what it answers', async () => {
  const url = network.url('rollup');
  const { body: document } = await ask(`${url}/v1/openapi.json`);
  expect(document.openapi).toBe('3.1.1');
  expect((await fetch(`${url}/docs`)).headers.get('content-type')).toContain('text/html');
  const { body: found } = await ask(`${url}/v1/messages?q=writer&limit=5`);
  expect(found.messages).toHaveLength(5);
});

test('the commands of the API document do what they show', async () => {
  const page = readFileSync(join(root, 'docs', 'reference', 'http-api.md'), 'utf8');
  const commands = page.split('\n').filter((line) => line.startsWith('curl '));
  expect(commands.length).toBeGreaterThanOrEqual(8);
  const local = (command: string) => command.replaceAll('http://127.0.0.1:3030', network.url('rollup'));
  for (const command of commands) {
    const isStream = command.startsWith('curl -sN');
    // A stream stays open until the reader has enough: 28 is curl's code for that.
    const options = isStream ? '--fail-with-body --max-time 3' : '--fail-with-body';
    const { status, stdout } = await run('bash', ['-c', `${local(command)} ${options}`]);
    expect([command, status, stdout]).toEqual([command, isStream ? 28 : 0, expect.any(String)]);
    if (isStream) expect([command, stdout]).toEqual([command, expect.stringMatching(/^retry: 1000\n\n/)]);
    else expect([command, typeof JSON.parse(stdout)]).toEqual([command, 'object']);
  }
});

test('of 10,000 streams of one address half of all places are open, the others are refused with the reason, and the node answers', async () => {
  const MAX_STREAMS = 1_024;
  const OF_ONE_ADDRESS = MAX_STREAMS / 2;
  const url = network.url('rollup');
  const open: IncomingMessage[] = [];
  let refused: { readonly status: number; readonly body: string } = { status: 0, body: '' };
  let refusals = 0;
  const one = () =>
    new Promise<void>((resolve, reject) => {
      get(`${url}/v1/streams/messages`, { agent: false }, (incoming) => {
        incoming.on('error', () => undefined);
        if (incoming.statusCode === 200) {
          open.push(incoming);
          incoming.resume();
          resolve();
          return;
        }
        let body = '';
        incoming.setEncoding('utf8').on('data', (text: string) => (body += text));
        incoming.on('end', () => {
          refusals += 1;
          refused = { status: incoming.statusCode ?? 0, body };
          resolve();
        });
      }).on('error', reject);
    });
  try {
    for (let begun = 0; begun < 10_000; begun += 50) await Promise.all(Array.from({ length: 50 }, one));
    expect([open.length, refusals]).toEqual([OF_ONE_ADDRESS, 10_000 - OF_ONE_ADDRESS]);
    expect(refused.status).toBe(503);
    expect(JSON.parse(refused.body)).toMatchObject({
      code: 'too-many-streams',
      detail: expect.stringContaining(String(MAX_STREAMS)),
    });
    expect((await ask(`${url}/v1/status`)).status).toBe(200);
    open.shift()?.destroy();
    await until('a place that became free is given', async () => {
      await one();
      return open.length === OF_ONE_ADDRESS ? true : undefined;
    });
  } finally {
    for (const stream of open) stream.destroy();
  }
});
