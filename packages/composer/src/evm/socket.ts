import { resultIn } from '@switchyard/service';
import { parseInput } from '@switchyard/service/input';
import { type RawData, WebSocket } from 'ws';

/** JSON-RPC over one WebSocket. */
export interface RpcSocket {
  /** @throws {JsonRpcError} the server's error, or an Error if no answer comes. */
  call(method: string, params: readonly unknown[]): Promise<unknown>;
  /** Resolves with the reason when the connection is gone. */
  readonly closed: Promise<string>;
  close(): void;
}

export interface SocketOptions {
  readonly signal: AbortSignal;
  /** Called with the result of each notification, in order. */
  readonly onNotification: (result: unknown) => void;
  /** Time for the connection, for each answer, and between signs of life. */
  readonly connectMs?: number;
  readonly answerMs?: number;
  readonly aliveMs?: number;
  readonly maxMessageBytes?: number;
}

const MAX_CALLS = 1_024;

interface Call {
  answer(response: unknown): void;
  reject(error: Error): void;
}

/** @throws {Error} in one line, if no connection can be made. */
export async function openSocket(url: string, options: SocketOptions): Promise<RpcSocket> {
  const { signal, onNotification, connectMs = 10_000, answerMs = 30_000, aliveMs = 30_000 } = options;
  signal.throwIfAborted();
  const socket = new WebSocket(url, {
    handshakeTimeout: connectMs,
    // A mempool's list can be long; more than this is not a mempool.
    maxPayload: options.maxMessageBytes ?? 64 * 1_048_576,
    perMessageDeflate: false,
    followRedirects: false,
  });
  const calls = new Map<number, Call>();
  let nextId = 1;
  let reason: string | undefined;
  let isAlive = true;

  const closed = new Promise<string>((resolve) => {
    socket.on('close', (code) => {
      reason ??= `the connection was closed (code ${code})`;
      for (const { reject } of calls.values()) reject(new Error(reason));
      calls.clear();
      resolve(reason);
    });
  });
  socket.on('error', (error) => {
    reason ??= error.message;
  });
  const end = (why: string): void => {
    reason ??= why;
    socket.terminate();
  };
  const stop = (): void => end('the composer stops');
  signal.addEventListener('abort', stop, { once: true });
  void closed.then(() => signal.removeEventListener('abort', stop));
  socket.on('pong', () => {
    isAlive = true;
  });
  socket.on('message', (data) => {
    isAlive = true;
    try {
      receive(data);
    } catch (error) {
      end(`an answer that is not JSON-RPC: ${error instanceof Error ? error.message : String(error)}`);
    }
  });

  function receive(data: RawData): void {
    const message = parseInput(data.toString(), 'message');
    const method = message.at('method').value;
    if (method !== undefined) {
      const params = message.at('params');
      if (method === 'eth_subscription' && params.isPresent)
        onNotification(params.isObject ? params.at('result').value : undefined);
      return;
    }
    const id = Number(message.at('id').value);
    const call = calls.get(id);
    if (call === undefined) return;
    calls.delete(id);
    call.answer(message.value);
  }

  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    void closed.then((why) => reject(new Error(why)));
  });
  const pulse = setInterval(() => {
    if (!isAlive) end(`no sign of life for ${aliveMs / 1_000} seconds`);
    else socket.ping();
    isAlive = false;
  }, aliveMs);
  void closed.then(() => clearInterval(pulse));

  return {
    closed,
    close: () => end('closed'),
    call(method, params) {
      if (socket.readyState !== WebSocket.OPEN) return Promise.reject(new Error(reason ?? 'the connection is closed'));
      if (calls.size >= MAX_CALLS) return Promise.reject(new Error(`more than ${MAX_CALLS} calls at a time`));
      const id = nextId;
      nextId += 1;
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          calls.delete(id);
          reject(new Error(`${method} was not answered within ${answerMs / 1_000} seconds`));
        }, answerMs);
        const settled =
          <T>(then: (value: T) => void) =>
          (value: T): void => {
            clearTimeout(timer);
            then(value);
          };
        calls.set(id, {
          reject: settled(reject),
          answer: settled((response: unknown) => resolve(new Promise((done) => done(resultIn(response, method))))),
        });
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      });
    },
  };
}
