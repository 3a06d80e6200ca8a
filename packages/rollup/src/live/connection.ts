import { backoffMs, sleep, systemClock, systemRandom } from '@switchyard/service/browser';
import { type Input, InvalidData, parseInput } from '@switchyard/service/input';
import type { Want } from './reads.ts';

/** Rows, newest entries of a log, or outcomes of the transactions of an account, that a client follows. */
export type PartRequest = { readonly id: number } & (
  | Omit<Want, 'cover'>
  | { readonly table: string; readonly newest: number }
  | { readonly receipts: string; readonly from?: string }
);

/** Calls of a connection. */
export interface ConnectionHandlers {
  /** `connecting` again after a loss; then parts are resumed, and unfinished ones begin again. */
  onState(state: 'connecting' | 'live' | 'offline', reason?: string): void;
  /** @param notice The parameters of a notification, as JSON. */
  onNotice(notice: unknown): void;
  /** The node does not follow a part. */
  onRefused(id: number, reason: string): void;
}

/** One connection to a node, made again whenever it is lost. */
export interface Connection {
  follow(part: PartRequest): void;
  drop(id: number): void;
  close(): void;
}

/** The part of a `WebSocket` that a connection needs. */
export interface Socket {
  /** 1 while it is open. */
  readonly readyState: number;
  send(text: string): void;
  close(): void;
  onopen?: (() => void) | undefined;
  onmessage?: ((event: { readonly data: string }) => void) | undefined;
  onclose?: ((event: { readonly code: number; readonly reason: string }) => void) | undefined;
  onerror?: ((event: object) => void) | undefined;
}

export type OpenSocket = (url: string) => Socket | Promise<Socket>;

/** Parts of the platform that pages have, and Node only from version 22 on, if at all. */
const platform = globalThis as Partial<Pick<EventTarget, 'addEventListener' | 'removeEventListener'>> & {
  readonly WebSocket?: new (url: string) => object;
};

const openWebSocket: OpenSocket = async (url) => {
  const { WebSocket = (await import('ws')).WebSocket } = platform;
  // Each has the members of the interface, with more facts in its events.
  return new WebSocket(url) as Socket;
};

const PAUSES = { initialMs: 250, maxMs: 10_000 };
/** After this time without a message the node gets a request, and after the same time again its connection is closed. */
const SILENCE_MS = 20_000;
/** An id that no part has: the answer is a sign of life. */
const NO_PART = 0;

interface Followed {
  readonly part: PartRequest;
  /** Whether the newest notification has all of it. */
  isWhole: boolean;
  /** Behind which it is resumed: that of the last notification that had all of it. */
  cursor: string | undefined;
}

/** A connection by a WebSocket at `/v1/live` of a node. @param open Makes the sockets. */
export const connect = (url: string, handlers: ConnectionHandlers, open: OpenSocket = openWebSocket): Connection =>
  new SocketConnection(url, handlers, open);

class SocketConnection implements Connection {
  readonly #parts = new Map<number, Followed>();
  readonly #closing = new AbortController();
  /** While it is open. */
  #socket: Socket | undefined;
  #stopTimer = (): void => undefined;
  /** Ends a pause, or asks for a sign of life. */
  #wake = (): void => undefined;
  /** Ends the socket. */
  #end = (_reason: string): void => undefined;
  readonly #onOnline = (): void => this.#wake();
  /** Browsers leave sockets open that will never get an answer. */
  readonly #onOffline = (): void => this.#end('this device has no network');

  constructor(
    readonly url: string,
    readonly handlers: ConnectionHandlers,
    readonly open: OpenSocket,
  ) {
    platform.addEventListener?.('online', this.#onOnline);
    platform.addEventListener?.('offline', this.#onOffline);
    void this.#run();
  }

  follow(part: PartRequest): void {
    const entry = { part, isWhole: false, cursor: 'from' in part ? part.from : undefined };
    this.#parts.set(part.id, entry);
    this.#follow(entry);
  }

  drop(id: number): void {
    if (this.#parts.delete(id)) this.#call('live_drop', id, NO_PART);
  }

  close(): void {
    this.#closing.abort();
    platform.removeEventListener?.('online', this.#onOnline);
    platform.removeEventListener?.('offline', this.#onOffline);
  }

  #call(method: string, parameter: unknown, id: number): void {
    this.#socket?.send(JSON.stringify({ jsonrpc: '2.0', id, method, params: [parameter] }));
  }

  #follow(entry: Followed): void {
    const { part, cursor } = entry;
    entry.isWhole = false;
    this.#call('live_follow', cursor === undefined ? part : { ...part, from: cursor }, part.id);
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    for (let failures = 1; !signal.aborted; failures += 1) {
      const reason = await this.#runOnce(() => {
        failures = 1;
      }).catch(String);
      if (signal.aborted) return;
      this.handlers.onState('offline', reason);
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await Promise.race([woken, sleep(backoffMs(failures, PAUSES, systemRandom), signal).catch(() => undefined)]);
    }
  }

  /** @returns why the connection has ended. */
  async #runOnce(onSign: () => void): Promise<string> {
    this.handlers.onState('connecting');
    const socket = await this.open(`${this.url.replace(/\/+$/, '').replace(/^http/, 'ws')}/v1/live`);
    const reason = await new Promise<string>((resolve) => {
      this.#wake = () => this.#await(true, resolve);
      this.#end = resolve;
      this.#closing.signal.addEventListener('abort', () => resolve('closed'), { once: true });
      socket.onopen = () => {
        this.#socket = socket;
        for (const entry of this.#parts.values()) this.#follow(entry);
        this.handlers.onState('live');
      };
      socket.onmessage = ({ data }) => {
        this.#await(false, resolve);
        onSign();
        try {
          this.#receive(parseInput(data, 'live'));
        } catch (error) {
          if (!(error instanceof InvalidData)) throw error;
          resolve(error.message);
        }
      };
      socket.onerror = (event) => resolve('message' in event ? String(event.message) : `no connection to ${this.url}`);
      socket.onclose = ({ code, reason: stated }) => resolve(stated || `the connection was closed (${code})`);
      this.#await(false, resolve);
      if (socket.readyState === 1) socket.onopen();
    });
    this.#stopTimer();
    this.#socket = undefined;
    socket.onmessage = undefined;
    socket.close();
    return reason;
  }

  /** Waits for a sign of life. */
  #await(isAsked: boolean, end: (reason: string) => void): void {
    this.#stopTimer();
    if (isAsked) this.#call('live_drop', NO_PART, NO_PART);
    this.#stopTimer = systemClock.after(SILENCE_MS, () =>
      isAsked || this.#socket === undefined ? end(`no answer from ${this.url}`) : this.#await(true, end),
    );
  }

  #receive(message: Input): void {
    const error = message.at('error');
    if (error.isPresent) {
      const id = message.at('id').optional((each) => each.integer()) ?? NO_PART;
      const detail = error.at('data').isPresent ? 'data' : 'message';
      if (this.#parts.delete(id)) this.handlers.onRefused(id, error.at(detail).text());
    }
    if (message.at('method').value !== 'live') return;
    const notice = message.at('params');
    for (const each of notice.at('parts').list()) {
      const entry = this.#parts.get(each.at('id').integer());
      if (entry === undefined) continue;
      if (each.at('again').isPresent) entry.cursor = undefined;
      if (each.at('isWhole').isPresent) entry.isWhole = each.at('isWhole').bool();
    }
    this.handlers.onNotice(notice.value);
    for (const entry of this.#parts.values()) if (entry.isWhole) entry.cursor = notice.at('cursor').text();
  }
}
