import { connect, type Socket } from 'node:net';
import { quantile } from '../support/statistics.ts';

export interface HttpLoad {
  readonly requestsPerSecond: number;
  /** Milliseconds from a request to the last byte of its answer. */
  readonly p50: number;
  readonly p99: number;
}

export interface HttpLoadOptions {
  readonly url: string;
  /** The path of the next request. */
  readonly path: () => string;
  readonly connections: number;
  readonly seconds: number;
}

const END_OF_HEAD = Buffer.from('\r\n\r\n');

/**
 * GET requests, one after another on each of some connections. It reads no more of an answer than its status and length, so
 * that a core of the machine is enough for it.
 *
 * @throws {Error} if an answer is not 200.
 */
export async function httpLoad({ url, path, connections, seconds }: HttpLoadOptions): Promise<HttpLoad> {
  const { hostname, port, host } = new URL(url);
  const took: number[] = [];
  const start = performance.now();
  const end = start + seconds * 1_000;
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      const answers = makeAnswers(socket, reject);
      const ask = (): void => {
        const wanted = performance.now();
        if (wanted >= end) {
          socket.end();
          resolve();
          return;
        }
        answers.next(() => {
          took.push(performance.now() - wanted);
          ask();
        });
        socket.write(`GET ${path()} HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
      };
      socket.on('connect', ask);
      socket.on('error', reject);
    });
  await Promise.all(Array.from({ length: connections }, one));
  const elapsed = (performance.now() - start) / 1_000;
  return { requestsPerSecond: took.length / elapsed, p50: quantile(took, 0.5), p99: quantile(took, 0.99) };
}

/** Calls back at the end of the next answer. */
function makeAnswers(socket: Socket, fail: (error: Error) => void): { next(done: () => void): void } {
  let done = (): void => undefined;
  let head: Buffer = Buffer.alloc(0);
  /** Bytes of the body that are yet to come; undefined in the head. */
  let left: number | undefined;
  socket.on('data', (chunk: Buffer) => {
    let bytes = chunk.length;
    if (left === undefined) {
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
      const at = head.indexOf(END_OF_HEAD);
      if (at < 0) return;
      const text = head.toString('latin1', 0, at);
      const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
      if (!text.startsWith('HTTP/1.1 200') || length === undefined) {
        fail(new Error(`expected 200 with a content-length, got ${head.toString('latin1', 0, at + 300)}`));
        socket.destroy();
        return;
      }
      left = Number(length);
      bytes = head.length - at - END_OF_HEAD.length;
    }
    left -= bytes;
    if (left > 0) return;
    left = undefined;
    head = Buffer.alloc(0);
    done();
  });
  return {
    next(then) {
      done = then;
    },
  };
}
