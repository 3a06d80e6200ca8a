import type { WebSocket } from 'ws';
import type { Clock } from '../clock.ts';
import type { Occupant } from '../connections/fair-slots.ts';
import type { Requester } from '../http-direct.ts';
import type { AnswerReader } from '../unread-answers.ts';
import type { Subscriber } from './context.ts';

/** Time that a client has for its closing frame when this side closes the connection. */
const GOODBYE_MS = 1_000;
/** Below this, pieces of a message are joined; above, they are sent as they are, so that all share what is the same. */
const JOIN_BYTES = 64 * 1024;

interface Decisions {
  /** Closes it to make place for another. */
  readonly evict: () => void;
  /** Closes it because it does not read its answers. */
  readonly cutOff: () => void;
  /** Asked before each notification. */
  readonly mayNotify: () => boolean;
  /** Resolves when it may work on. */
  readonly turn: () => Promise<void>;
}

/** A client on a WebSocket: who has not asked anything for longest is missed least. */
export class Connection implements Occupant, Requester, AnswerReader, Subscriber {
  since = performance.now();
  isBusy = (): boolean => false;
  /** Whether there was a sign of life since the last ping. */
  isAlive = true;
  readonly evict: () => void;
  readonly cutOff: () => void;
  readonly turn: () => Promise<void>;
  readonly #mayNotify: () => boolean;

  constructor(
    readonly webSocket: WebSocket,
    readonly peer: string,
    readonly page: string | undefined,
    readonly clock: Clock,
    { evict, cutOff, mayNotify, turn }: Decisions,
  ) {
    this.evict = evict;
    this.cutOff = cutOff;
    this.#mayNotify = mayNotify;
    this.turn = turn;
  }

  get activity() {
    return this.isBusy() ? 'busy' : 'idle';
  }

  get unreadBytes(): number {
    return this.webSocket.bufferedAmount;
  }

  isGone(): boolean {
    return this.webSocket.readyState !== this.webSocket.OPEN;
  }

  onEnd(end: () => void): void {
    this.webSocket.once('close', end);
  }

  /**
   * Hands a text over. Resolves at once while the client keeps up, otherwise when the text has left.
   *
   * @param release Called when the text has left, or never will.
   */
  send(text: string, release?: () => void): Promise<void> | undefined {
    if (this.isGone()) {
      release?.();
      return undefined;
    }
    if (this.unreadBytes === 0) {
      this.webSocket.send(text, release);
      return undefined;
    }
    // An error means that the connection is gone, which its `close` event reports.
    return new Promise((resolve) =>
      this.webSocket.send(text, () => {
        release?.();
        resolve();
      }),
    );
  }

  notify(...pieces: readonly (string | Uint8Array)[]): void {
    if (this.isGone() || !this.#mayNotify()) return;
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (length <= JOIN_BYTES) {
      this.webSocket.send(
        pieces.map((piece) => (typeof piece === 'string' ? piece : Buffer.from(piece).toString())).join(''),
      );
      return;
    }
    for (const [index, piece] of pieces.entries()) {
      this.webSocket.send(piece, { binary: false, fin: index === pieces.length - 1 });
    }
  }

  /** Ends it where the last ping has not been answered. */
  ping(): void {
    if (this.isAlive) this.webSocket.ping();
    else this.webSocket.terminate();
    this.isAlive = false;
  }

  /** Ends it, politely first. */
  close(code: number, reason: string): void {
    this.webSocket.close(code, reason);
    const cancel = this.clock.after(GOODBYE_MS, () => this.webSocket.terminate());
    this.webSocket.once('close', cancel);
  }
}
