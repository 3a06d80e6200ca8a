import type { IncomingMessage, ServerResponse } from 'node:http';
import { clientOfRequest } from '../access/client.ts';
import { ByteBudget } from '../connections/byte-budget.ts';
import { Turns } from '../connections/turns.ts';

export interface IntakeOptions {
  /** Longer bodies are refused. */
  readonly maxBodyBytes: number;
  /**
   * Bytes of bodies that are read or worked on at a time: of one address, and of all. Two and eight of the longest, if
   * absent: excess is best left with its senders.
   */
  readonly maxBytesOfPeer?: number;
  readonly maxBytes?: number;
  /** Long bodies are answered in these. */
  readonly turns?: Turns;
}

export type Body =
  | { readonly kind: 'whole'; readonly bytes: Buffer }
  /** It is longer than the limit. `discarded` resolves when the rest has been thrown away, or enough of it. */
  | { readonly kind: 'too-long'; readonly discarded: Promise<void> }
  /** It comes in pieces so small that taking them apart is all this process would do. */
  | { readonly kind: 'crumbled' }
  /** The sender went away. */
  | { readonly kind: 'gone' };

/** Bodies up to this are read and answered as they come; longer ones are counted, and answered in turns. */
const SMALL_BYTES = 65_536;
/** How many times the limit is read and thrown away of a body that is too long. */
const PATIENCE = 4;
/** Pieces of a body that are taken, besides one for each `PIECE_BYTES` of it. */
const FREE_PIECES = 1_024;
const PIECE_BYTES = 256;
const NOTHING = Buffer.alloc(0);

/** Reads the bodies of a listener's requests, with bounds on the memory for one client and for all of them. */
export class HttpIntake {
  readonly #maxBodyBytes: number;
  readonly #budget: ByteBudget;
  readonly #turns: Turns;

  constructor({ maxBodyBytes, maxBytesOfPeer, maxBytes, turns }: IntakeOptions) {
    this.#turns = turns ?? new Turns();
    this.#maxBodyBytes = maxBodyBytes;
    const longest = Math.max(maxBodyBytes, SMALL_BYTES);
    this.#budget = new ByteBudget({
      maxBytes: maxBytes ?? 8 * longest,
      maxBytesOfPeer: maxBytesOfPeer ?? 2 * longest,
    });
  }

  /** Calls `done` once: at once for a request without a body, and in its turn for a long one. */
  read(request: IncomingMessage, response: ServerResponse, done: (body: Body) => void): void {
    const stated = statedLength(request);
    const peer = clientOfRequest(request);
    const inTurn = (body: Body): void => {
      if (body.kind !== 'whole' || body.bytes.length <= SMALL_BYTES) done(body);
      else void this.#turns.take().then(() => done(body));
    };
    // Calls `granted` when the bytes may be read; until then the client's system holds on to data that it has not sent.
    const reserve = (bytes: number, granted: () => void): void => {
      response.once('close', this.#budget.reserve(peer, bytes, granted));
    };
    if (stated === 0) done({ kind: 'whole', bytes: NOTHING });
    else if (stated === undefined) this.#collect(request, (resume) => reserve(this.#maxBodyBytes, resume), inTurn);
    else if (stated > this.#maxBodyBytes) {
      done({ kind: 'too-long', discarded: discard(request, PATIENCE * this.#maxBodyBytes) });
    } else if (stated <= SMALL_BYTES) this.#collect(request, undefined, done);
    else reserve(stated, () => this.#collect(request, undefined, inTurn));
  }

  /** @param whenLong Called once when a body whose length is not stated becomes long; `resume` continues. */
  #collect(request: IncomingMessage, whenLong: ((resume: () => void) => void) | undefined, done: (body: Body) => void) {
    const limit = this.#maxBodyBytes;
    const pieces: Buffer[] = [];
    let length = 0;
    let count = 0;
    let isLong = false;
    const finish = (body: Body): void => {
      request.off('data', add);
      request.off('end', end);
      request.off('close', gone);
      done(body);
    };
    const add = (piece: Buffer): void => {
      length += piece.length;
      count += 1;
      pieces.push(piece);
      if (length > limit) {
        finish({ kind: 'too-long', discarded: discard(request, PATIENCE * limit) });
      } else if (count > FREE_PIECES + length / PIECE_BYTES) {
        finish({ kind: 'crumbled' });
        void discard(request, 0).then(() => request.destroy());
      } else if (!isLong && length > SMALL_BYTES && whenLong !== undefined) {
        isLong = true;
        request.pause();
        whenLong(() => request.resume());
      }
    };
    const end = (): void => {
      const [first] = pieces;
      const bytes = pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces);
      finish({ kind: 'whole', bytes });
    };
    const gone = (): void => finish({ kind: 'gone' });
    // A sender that goes away is reported by `close`.
    request.on('error', () => undefined);
    request.on('data', add);
    request.on('end', end);
    request.on('close', gone);
  }
}

/** Undefined for a body in chunks. */
function statedLength({ headers }: IncomingMessage): number | undefined {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  if (encoding !== undefined) return undefined;
  return length === undefined ? 0 : Number(length);
}

/** A sender of a body that is too long has sent all it will when nothing has come for this long. */
const SILENCE_MS = 1_000;

/**
 * Reads `most` bytes more, for nothing, and resolves when they, or the body, are at their end, or the sender has stopped.
 * Most clients look for an answer only when they have sent everything, and a connection that is closed before is an error
 * to them.
 */
function discard(request: IncomingMessage, most: number): Promise<void> {
  return new Promise((resolve) => {
    let left = most;
    const silence = setTimeout(resolve, SILENCE_MS);
    const end = (): void => {
      clearTimeout(silence);
      resolve();
    };
    request.on('error', () => undefined);
    request.on('data', (piece: Buffer) => {
      left -= piece.length;
      if (left < 0) end();
      else silence.refresh();
    });
    request.on('end', end);
    request.on('close', end);
  });
}
