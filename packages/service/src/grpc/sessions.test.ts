import { EventEmitter } from 'node:events';
import { constants, type ServerHttp2Session } from 'node:http2';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { Authenticator } from '../peer-auth/authenticator.ts';
import { Rejections } from '../telemetry/rejections.ts';
import { memoryLogger } from '../testing.ts';
import { serveGrpc } from './server.ts';
import { SessionWatch } from './sessions.ts';

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A frame of HTTP/2 (RFC 9113, section 4.1). */
function frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A header field that no table has (RFC 7541, section 6.2.2); both texts are shorter than 127 bytes. */
const field = (name: string, value: string): Buffer =>
  Buffer.from([0, name.length, ...Buffer.from(name), value.length, ...Buffer.from(value)]);

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const SETTINGS = frame(4, 0, 0, new Uint8Array());
/** POST and http are entries 3 and 6 of the static table. */
const headersFor = (host: string): Buffer =>
  Buffer.concat([
    Buffer.from([0x83, 0x86]),
    ...[field(':path', '/x.Y/Z'), field(':authority', host), field('content-type', 'application/grpc')],
  ]);

class CountingAuthenticator extends Authenticator {
  calls = 0;

  override admit(...call: Parameters<Authenticator['admit']>) {
    this.calls += 1;
    return super.admit(...call);
  }
}

async function server() {
  const settings = { rule: 'X_RULE', secret: 'X_SECRET' };
  const authenticator = new CountingAuthenticator({ rule: 'open', secret: undefined, settings });
  const { port, close } = await serveGrpc({
    ...{ listen: { host: '127.0.0.1', port: 0 }, routes: () => undefined, services: [], name: 'X_ADDR', graceMs: 50 },
    auth: { authenticator },
  });
  closers.push(close);
  return { port, authenticator };
}

/** Sends a session in one piece. @returns when the server has ended it. */
async function send(port: number, frames: readonly Uint8Array[]): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  closers.push(() => void socket.destroy());
  socket.on('error', () => undefined);
  socket.resume();
  socket.write(Buffer.concat([PREFACE, SETTINGS, ...frames]));
  await new Promise((resolve) => socket.once('close', resolve));
}

const PINGS = Array.from({ length: 200 }, () => frame(6, 0, 0, new Uint8Array(8)));
const call = (index: number, host: string) =>
  frame(1, constants.NGHTTP2_FLAG_END_HEADERS, 2 * index + 1, headersFor(host));
const reset = (index: number) => frame(3, 0, 2 * index + 1, new Uint8Array([0, 0, 0, constants.NGHTTP2_CANCEL]));

test('calls that were read after the frame for which their session is ended are not looked at', async () => {
  const { port, authenticator } = await server();
  await send(port, [...PINGS, ...Array.from({ length: 100 }, (_, index) => call(index, '127.0.0.1'))]);
  expect(authenticator.calls).toBe(0);
});

test('a call that is reset when it is read ends no process', async () => {
  const failures: Error[] = [];
  const note = (error: Error): void => void failures.push(error);
  process.on('uncaughtException', note);
  closers.push(() => void process.off('uncaughtException', note));
  const { port } = await server();
  await send(port, [call(0, 'foreign.example'), reset(0), ...PINGS]);
  expect(failures).toEqual([]);
});

/** A session with the parts that a flood of pings needs. */
class PingedSession extends EventEmitter {
  readonly socket = { remoteAddress: '10.0.0.7' };
  readonly closed = false;
  destroyed = false;

  setTimeout(): void {}
  goaway(): void {}
  close(): void {}
  destroy(): void {
    this.destroyed = true;
  }
}

test('sessions are ended one in each round of the event loop', async () => {
  const watch = new SessionWatch({ idleMs: 1_000, requestTimeoutMs: 1_000 }, new Rejections(memoryLogger().log));
  const sessions = Array.from({ length: 3 }, () => new PingedSession());
  for (const session of sessions) {
    // Nothing else of it is used.
    watch.add(session as unknown as ServerHttp2Session);
    for (let sent = 0; sent < 200; sent += 1) session.emit('ping');
  }
  const ended: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    ended.push(sessions.filter(({ destroyed }) => destroyed).length);
  }
  expect(ended).toEqual([1, 2, 3]);
  watch.close();
});

// Defect: A client that did not close its end of a connection kept every gRPC server from closing, until the process gave
// up after 10 s
test('a client that keeps its end open keeps no server from closing', async () => {
  const { port } = await server();
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  closers.push(() => void socket.destroy());
  socket.on('error', () => undefined);
  const ended = new Promise((resolve) => socket.once('end', resolve));
  socket.write(Buffer.concat([PREFACE, SETTINGS]));
  await new Promise((resolve) => socket.once('data', resolve));
  socket.resume();
  const [close] = closers.splice(0, 1);
  await close?.();
  await ended;
});
