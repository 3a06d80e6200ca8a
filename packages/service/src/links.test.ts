import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { createClient } from '@connectrpc/connect';
import { ownComposer } from '@switchyard/protocol/gen';
import { expect, test } from 'vitest';
import { serveGrpc } from './grpc/server.ts';
import { grpcTransport } from './grpc/transport.ts';
import { bind } from './http/listening.ts';
import { type LinkPaths, Links } from './links.ts';

const { SubmissionService } = ownComposer;
const HERE = { host: '127.0.0.1', port: 0 };

/** A stream under way from one part to another, which has had its first value. */
async function underWay(ways: LinkPaths) {
  const links = new Links({ ways });
  const [server, client] = [links.of('server'), links.of('client')];
  const { url, close } = await serveGrpc({
    ...{ listen: HERE, name: 'X', services: [SubmissionService], graceMs: 0, links: server },
    routes: (router) =>
      void router.service(SubmissionService, {
        submitBatch: () => ({}),
        getSubmission: () => ({}),
        async *listPending() {
          yield { data: [] };
          await new Promise(() => undefined);
        },
      }),
  });
  const transport = grpcTransport(url, { timeoutMs: 5_000, links: client });
  const stream = createClient(SubmissionService, transport).listPending({})[Symbol.asyncIterator]();
  await stream.next();
  const end = async () => {
    transport.close();
    await close();
  };
  return { stream, server, client, end };
}

test('a stream under way ends where the way between its parts breaks', async () => {
  const broken = new AbortController();
  const { stream, end } = await underWay({ travel: () => undefined, lost: () => broken.signal });
  const next = stream.next();
  broken.abort();
  await expect(next).rejects.toThrow('the connection was lost');
  await end();
});

test.each(['server', 'client'] as const)(
  'a stream under way ends where the part of its %s is cut off',
  async (part) => {
    const { stream, end, ...parts } = await underWay({ travel: () => undefined });
    const next = stream.next();
    parts[part].cutOff();
    await expect(next).rejects.toThrow('the connection was lost');
    await end();
  },
);

test('the sockets of a part that is cut off end with it, and its port is free', async () => {
  const links = new Links().of('part');
  const { port } = await bind(createServer(), HERE, 'X', { links });
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const closed = once(socket, 'close');
  links.cutOff();
  const other = createServer();
  await bind(other, { ...HERE, port }, 'X');
  await closed;
  other.close();
});

test('a part that was cut off while it began to listen does not', async () => {
  const links = new Links().of('part');
  const server = createServer();
  const bound = bind(server, HERE, 'X', { links });
  links.cutOff();
  await expect(bound).rejects.toThrow('the server was closed');
  expect(server.listening).toBe(false);
});
