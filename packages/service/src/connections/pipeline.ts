import type { IncomingMessage, ServerResponse } from 'node:http';

/** Requests of one HTTP/1 connection without an answer. Clients wait for theirs; the few that do not send some ahead. */
export const MAX_PIPELINED = 64;

/**
 * Requests of one HTTP/1 connection, begun one after another, which is the order of their answers anyway.
 *
 * Node hands out every request of a piece that it has read, more than a thousand in 64 KiB, also those behind the one at
 * which the connection was ended. A response that has not had its connection yet never emits `close`: code that waits for
 * that would keep it for ever.
 */
export class Pipeline {
  readonly #waiting: { readonly request: IncomingMessage; begin(): void }[] = [];
  readonly #overflow: () => void;
  #isAnswering = false;
  #isOver = false;

  /** @param overflow Ends the connection: its client sent more ahead than may wait. */
  constructor(overflow: () => void) {
    this.#overflow = overflow;
  }

  /** Calls `begin` when all requests before this one have been answered, unless the connection ends first. */
  add(request: IncomingMessage, response: ServerResponse, begin: () => void): void {
    if (this.#isOver || this.#waiting.length + 1 >= MAX_PIPELINED) {
      forget(request);
      if (!this.#isOver) this.#overflow();
      this.end();
      return;
    }
    this.#waiting.push({
      request,
      begin: () => {
        response.once('close', () => {
          this.#isAnswering = false;
          this.#next();
        });
        begin();
      },
    });
    this.#next();
  }

  /** The connection is gone: nothing more is begun. */
  end(): void {
    this.#isOver = true;
    for (const { request } of this.#waiting.splice(0)) forget(request);
  }

  #next(): void {
    if (this.#isAnswering) return;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    this.#isAnswering = true;
    next.begin();
  }
}

/** Nothing listens to it. Else Node would destroy it with an error, whose stack is most of the cost of such a request. */
export function forget(request: IncomingMessage): void {
  request.destroyed = true;
}
