import type { WebSocket } from 'ws';
import type { Occupant } from '../connections/fair-slots.ts';
import type { Requester } from '../http/http-direct.ts';
import type { AnswerReader } from '../http/unread-answers.ts';
import type { Clock } from '../timing/clock.ts';
import type { Subscriber } from './context.ts';

/** Time that a client has for its closing frame when this side closes the connection. */
const GOODBYE_MS = 1_000;
/** Below this, pieces of a message are joined; above, they are sent separately, so that all connections share equal ones. */
const JOIN_BYTES = 64 * 1024;

interface Decisions {
  /** Closes it to make place for another. */
  readonly evict: () => void;
  /** Closes it because it does not read its answers. */
  readonly cutOff: () => void;
  /** Called when a text was handed over that counts as an answer. */
  readonly onSend: () => void;
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
  readonly #onSend: () => void;
  readonly #mayNotify: () => boolean;
  /** Bytes of answers that have not left. */
  #unreadAnswers = 0;

  constructor(
    readonly webSocket: WebSocket,
    readonly peer: string,
    readonly page: string | undefined,
    readonly clock: Clock,
    { evict, cutOff, onSend, mayNotify, turn }: Decisions,
  ) {
    this.evict = evict;
    this.cutOff = cutOff;
    this.#onSend = onSend;
    this.#mayNotify = mayNotify;
    this.turn = turn;
  }

  get activity() {
    return this.isBusy() ? 'busy' : 'idle';
  }

  get unreadBytes(): number {
    return this.webSocket.bufferedAmount;
  }

  get unsentBytes(): number {
    return Math.max(0, this.unreadBytes - this.#unreadAnswers);
  }

  isGone(): boolean {
    return this.webSocket.readyState !== this.webSocket.OPEN;
  }

  onEnd(end: () => void): void {
    this.webSocket.once('close', end);
  }

  /**
   * Hands the pieces of a text over. Resolves at once while the client keeps up, otherwise when the text has left.
   *
   * @param release Called when the text has left, or never will.
   */
  send(pieces: readonly (string | Uint8Array)[], release?: () => void): Promise<void> | undefined {
    if (this.isGone()) {
      release?.();
      return undefined;
    }
    const keepsUp = this.unreadBytes === 0;
    const length = computeLength(pieces);
    this.#unreadAnswers += length;
    const left = new Promise<void>((resolve) => {
      // An error means that the connection is gone, which its `close` event reports.
      this.#sendPieces(pieces, () => {
        this.#unreadAnswers -= length;
        release?.();
        resolve();
      });
    });
    this.#onSend();
    return keepsUp ? undefined : left;
  }

  notify(...pieces: readonly (string | Uint8Array)[]): void {
    if (this.isGone() || !this.#mayNotify()) return;
    if (computeLength(pieces) <= JOIN_BYTES) {
      this.webSocket.send(
        pieces.map((piece) => (typeof piece === 'string' ? piece : Buffer.from(piece).toString())).join(''),
      );
      return;
    }
    this.#sendPieces(pieces);
  }

  #sendPieces(pieces: readonly (string | Uint8Array)[], done?: () => void): void {
    const last = pieces.length - 1;
    for (const [index, piece] of pieces.entries())
      this.webSocket.send(piece, { binary: false, fin: index === last }, index === last ? done : undefined);
  }

  /** Ends it if the last ping has not been answered. */
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

function computeLength(pieces: readonly (string | Uint8Array)[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}
