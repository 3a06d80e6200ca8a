import { testSigner } from '@switchyard/client/testing';
import { eventually } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { notesRollup } from '../../testing/notes.ts';
import { liveClient } from '../client.ts';
import type { OpenSocket, Socket } from '../connection.ts';
import type { LiveOptions } from '../options.ts';
import { memoryStorage, signedWorld } from '../verify/signed-world.testing.ts';
import { serveVerifier } from './serve-verifier.ts';

const alice = testSigner(1);

async function world() {
  const made = await signedWorld(notesRollup);
  const post = async (text: string) => {
    await made.node.client.submit.post({ text, tags: [] }, alice, { until: 'accepted' });
    await made.block();
  };
  for (const text of ['one', 'two']) await post(text);
  const open = (more: Partial<LiveOptions>) => {
    const { fetch } = made;
    const own = {
      url: 'http://node',
      explorer: 'http://explorer',
      socket: made.node.link.socket,
      fetch,
      signer: alice,
    };
    const app = liveClient(notesRollup, { ...own, ...more });
    app.live((ask) => ask.notesOf({ owner: alice.account }).ids).subscribe(() => undefined);
    return app;
  };
  return { ...made, made, post, open };
}

/** Sockets over which a false text is sent for each true one. */
const forged =
  (open: OpenSocket, forge: (text: string) => string): OpenSocket =>
  async (url) => {
    const socket = await open(url);
    return new Proxy(socket, {
      get(_, name: keyof Socket) {
        const value = socket[name];
        return typeof value === 'function' ? value.bind(socket) : value;
      },
      set(_, name, value) {
        const take = ({ data }: { readonly data: string }) => value({ data: forge(data) });
        return Reflect.set(socket, name, name === 'onmessage' && value !== undefined ? take : value);
      },
    });
  };

/** Workers in this thread that are ended. */
function workers(parts: Parameters<typeof serveVerifier>[1]) {
  const ports: MessagePort[] = [];
  const ended: ((event: { readonly message: string }) => void)[] = [];
  const make = () => {
    const { port1, port2 } = new MessageChannel();
    ports.push(port1, port2);
    serveVerifier(notesRollup, { ...parts, page: port2 });
    for (const port of [port1, port2]) port.start();
    return {
      postMessage: (message: unknown) => port1.postMessage(message),
      addEventListener: (type: string, listener: (event: MessageEvent & { readonly message: string }) => void) =>
        type === 'error' ? void ended.push(listener as never) : port1.addEventListener(type, listener as never),
      terminate: () => port2.close(),
    };
  };
  const close = () => {
    for (const port of ports) port.close();
  };
  return { make, ended, ports, close };
}

test.each(['headers', 'execute'] as const)('with `%s` transactions are proven', async (verify) => {
  const { made, block, open } = await world();
  const app = open({ verify });
  const sent = app.submit.post({ text: 'mine', tags: [] });
  await sent.until('accepted');
  await block();
  expect(await sent.until('proven')).toMatchObject({ block: 3n });
  expect(await eventually(() => app.proof.get().block)).toBeLessThanOrEqual(3n);
  app.close();
  await made.node.stop();
});

test('rows that no block has written are noticed, before and after the client is up to date', async () => {
  const { made, post, open } = await world();
  const { socket } = made.node.link;
  let [from, to] = ['"one"', '"won"'];
  const first = open({ verify: 'execute', socket: forged(socket, (text) => text.replaceAll(from, to)) });
  await eventually(() => first.connection.get().state === 'refused' || undefined);
  expect(first.proof.get()).toMatchObject({
    state: 'false',
    reason: expect.stringMatching(/the node at http:\/\/node: block 2: expected .* as row .*, got/),
  });
  expect(() => first.submit.post({ text: 'later', tags: [] })).toThrow('nothing is sent to http://node');

  [from, to] = ['"three"', '"eerht"'];
  const second = open({ verify: 'execute', socket: forged(socket, (text) => text.replaceAll(from, to)) });
  await eventually(() => second.proof.get().state === 'verified' || undefined);
  await post('three');
  await eventually(() => second.connection.get().state === 'refused' || undefined);
  expect(second.connection.get().reason).toMatch(/block 3: expected/);
  for (const app of [first, second]) app.close();
  await made.node.stop();
});

test('a worker that ends is made again, resumes, and proves what the one before it did not', async () => {
  const { made, block, open } = await world();
  const { make, ended, ports, close } = workers({ storage: memoryStorage(), fetch: made.fetch });
  const app = open({ verify: 'execute', worker: make });
  await eventually(() => app.proof.get().block === 2n || undefined);
  ended[0]?.({ message: 'out of memory' });
  expect(app.proof.get()).toEqual({ state: 'unproven', reason: 'the worker has ended: out of memory', block: 2n });
  const sent = app.submit.post({ text: 'mine', tags: [] });
  await sent.until('accepted');
  await block();
  expect(await sent.until('proven')).toMatchObject({ block: 3n });
  await eventually(() => app.proof.get().block === 3n || undefined);
  expect(ports.length).toBe(4);
  app.close();
  close();
  await made.node.stop();
});

test('a client whose chain cannot be kept has the reason', async () => {
  const { made, open } = await world();
  const full = { read: async () => undefined, write: () => Promise.reject(new Error('the disk is full')) };
  const { make, close } = workers({ storage: full, fetch: made.fetch });
  const app = open({ verify: 'execute', worker: make });
  expect(await eventually(() => app.proof.get().unkept)).toBe('the disk is full');
  app.close();
  close();
  await made.node.stop();
});
