import type { RpcContext, Subscriber } from '@switchyard/service/json-rpc';
import type { TestNode } from './test-node.ts';

/**
 * A WebSocket to `/v1/live` of a node in memory, with the members of a browser's that clients use. It takes nothing while it is
 * paused.
 * @example
 * ```ts
 * const socket = new LiveSocket(await testNode(toRollup(counter, genesisText)));
 * socket.onmessage = ({ data }) => console.log(data);
 * socket.send('{"jsonrpc":"2.0","id":1,"method":"live_follow","params":[{"id":1,"table":"nonces"}]}');
 * ```
 */
export class LiveSocket {
  onopen: (() => void) | undefined;
  onmessage: ((event: { readonly data: string }) => void) | undefined;
  onclose: ((event: { readonly code: number; readonly reason: string }) => void) | undefined;
  /** Numbers of the states of a browser: 0 connecting, 1 open, 3 closed. */
  readyState = 0;
  readonly #live: TestNode['live'];
  readonly #subscriber: Subscriber;
  readonly #endings: (() => void)[] = [];
  #inTurn: Promise<void> = Promise.resolve();
  /** Undefined while it takes everything. */
  #pause: Pause | undefined;

  constructor({ live }: Pick<TestNode, 'live'>, peer = 'local') {
    this.#live = live;
    this.#subscriber = {
      peer,
      notify: (...pieces) => void this.#take(pieces),
      send: (pieces) => this.#take(pieces),
      close: (code, reason) => this.#end(code, reason),
      onEnd: (end) => void this.#endings.push(end),
    };
    queueMicrotask(() => {
      this.readyState = 1;
      this.onopen?.();
    });
  }

  send(text: string): void {
    const after: (() => void)[] = [];
    const context: RpcContext = {
      from: {
        peer: this.#subscriber.peer,
        page: undefined,
        turn: () => Promise.resolve(),
        isGone: () => this.readyState === 3,
        cutOff: () => this.#end(1_008, 'cut off'),
      },
      subscriber: this.#subscriber,
      isOver: () => this.readyState === 3,
      afterAnswer: (work) => void after.push(work),
    };
    this.#inTurn = this.#inTurn.then(async () => {
      const answer = await this.#live.answer(text, context);
      await this.#take([answer.text]);
      answer.release?.();
      for (const work of after) work();
    });
  }

  close(code = 1_000, reason = ''): void {
    this.#end(code, reason);
  }

  pause(): void {
    let resume = (): void => undefined;
    const promise = new Promise<void>((resolve) => {
      resume = resolve;
    });
    this.#pause ??= { promise, resume };
  }

  resume(): void {
    this.#pause?.resume();
    this.#pause = undefined;
  }

  #take(pieces: readonly (string | Uint8Array)[]): Promise<void> | undefined {
    const data = pieces.map((piece) => (typeof piece === 'string' ? piece : Buffer.from(piece).toString())).join('');
    const deliver = (): void => {
      if (this.readyState !== 3 && data !== '') this.onmessage?.({ data });
    };
    if (this.#pause === undefined) {
      queueMicrotask(deliver);
      return undefined;
    }
    return this.#pause.promise.then(deliver);
  }

  #end(code: number, reason: string): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.resume();
    for (const end of this.#endings.splice(0)) end();
    queueMicrotask(() => this.onclose?.({ code, reason }));
  }
}

interface Pause {
  readonly promise: Promise<void>;
  readonly resume: () => void;
}
