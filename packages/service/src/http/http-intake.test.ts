import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { eventually, settle } from '../testing.ts';
import { type Body, HttpIntake, type IntakeOptions } from './http-intake.ts';
import { httpListener } from './http-listener.ts';
import { bind } from './listening.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0).reverse()) close();
});

/** A server that answers when the test asks it to. */
async function serve(options: IntakeOptions) {
  const intake = new HttpIntake(options);
  const bodies: Body[] = [];
  const answers: (() => void)[] = [];
  const listen = { host: '127.0.0.1', port: 0 };
  const { server } = httpListener({
    listen,
    handle(request, response) {
      intake.read(request, response, (body) => {
        bodies.push(body);
        answers.push(() => void response.end());
      });
    },
  });
  const { port } = await bind(server, listen, 'X');
  closers.push(
    () => void server.close(),
    () => server.closeAllConnections(),
  );
  const send = (...parts: readonly (string | Uint8Array)[]): Socket => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    closers.push(() => void socket.destroy());
    for (const part of parts) socket.write(part);
    return socket;
  };
  const post = (bytes: number): Socket =>
    send(`POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${bytes}\r\n\r\n`, new Uint8Array(bytes));
  return { bodies, answers, send, post };
}

const CHUNKED = 'POST / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n';
const lengths = (bodies: readonly Body[]) =>
  bodies.map((body) => (body.kind === 'whole' ? body.bytes.length : body.kind));
const MB = 1_048_576;

test('long bodies beyond the bound are not read until others have been answered, and short ones never wait', async () => {
  const { bodies, answers, post } = await serve({ maxBodyBytes: MB, maxBytes: 4 * MB, maxBytesOfPeer: 2 * MB });
  const sockets = Array.from({ length: 5 }, () => post(MB));
  await eventually(() => bodies.length === 2);
  const short = post(1_000);
  await eventually(() => bodies.length === 3);
  expect(lengths(bodies)).toEqual([MB, MB, 1_000]);
  // The others are with their senders still.
  expect(sockets.filter(({ writableLength }) => writableLength > 0).length).toBeLessThanOrEqual(3);
  for (const answer of answers.splice(0)) answer();
  await eventually(() => bodies.length === 5);
  for (const answer of answers.splice(0)) answer();
  await eventually(() => bodies.length === 6);
  short.destroy();
});

test('a body in chunks counts from when it becomes long', async () => {
  const { bodies, send } = await serve({ maxBodyBytes: MB, maxBytes: 2 * MB, maxBytesOfPeer: MB });
  const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
  const first = send(CHUNKED, chunk, chunk);
  await settle();
  const second = send(CHUNKED, chunk, chunk, '0\r\n\r\n');
  first.write('0\r\n\r\n');
  await eventually(() => bodies.length === 1);
  first.destroy();
  await eventually(() => bodies.length === 2);
  expect(lengths(bodies)).toEqual([131_072, 131_072]);
  second.destroy();
});

test.each([
  [
    'too long as stated',
    'too-long',
    (): readonly string[] => ['POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2000\r\n\r\nx'],
  ],
  ['too long in chunks', 'too-long', () => [CHUNKED, `7d0\r\n${'x'.repeat(2_000)}\r\n`]],
])('a body that is %s', async (_, kind, parts) => {
  const { bodies, send } = await serve({ maxBodyBytes: 1_000 });
  send(...parts());
  await eventually(() => bodies.length === 1);
  expect(bodies).toMatchObject([{ kind }]);
});

// Defect: Others waited for a body in small pieces
test('a body in pieces of a byte is not taken apart to its end', async () => {
  const { bodies, send } = await serve({ maxBodyBytes: MB });
  send(CHUNKED, '1\r\nx\r\n'.repeat(200_000));
  await eventually(() => bodies.length === 1);
  expect(bodies).toEqual([{ kind: 'crumbled' }]);
});

test('a sender that goes away while it waits gives its place up', async () => {
  const { bodies, answers, post } = await serve({ maxBodyBytes: MB, maxBytes: MB, maxBytesOfPeer: MB });
  post(MB);
  await eventually(() => bodies.length === 1);
  const waiting = post(MB);
  const last = post(MB - 1);
  await settle();
  waiting.destroy();
  answers[0]?.();
  await eventually(() => lengths(bodies).includes(MB - 1));
  last.destroy();
});
