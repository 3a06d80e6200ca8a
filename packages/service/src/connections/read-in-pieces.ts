import type { Socket } from 'node:net';
import type { LoopShares } from './loop-shares.ts';

/** About a hundred of the shortest requests; more than the header of most honest ones. */
const PIECE_BYTES = 4_096;
/** Pieces of one connection are parsed for this long before others have their turn. */
const TURN_MS = 2;
const NOTHING: Buffer = Buffer.alloc(0);

type Listener = (this: Socket, chunk: Buffer) => void;

const readers = new WeakMap<object, PieceReader>();

/**
 * Has a parser take what is read from a connection in small pieces, none after the connection was ended, and only while the
 * client's address has not used more than its share of time.
 *
 * Node reads 64 KiB at a time, and parsers of HTTP and WebSockets take all of it, whatever becomes of the connection
 * meanwhile: close to two thousand short requests, or nine thousand frames.
 *
 * @param socket One that such a parser has begun to read.
 */
export function readInPieces(socket: Socket, shares: LoopShares, peer: string): void {
  const [parse, ...others] = socket.listeners('data') as Listener[];
  // A Node that reads in another way serves without this bound. http-listener.test.ts fails on it.
  if (parse === undefined || others.length > 0) return;
  // Another listener makes Node give up its shortcut from the socket to the parser.
  socket.off('data', parse);
  readers.set(socket, new PieceReader(socket, parse, { shares, peer }));
}

/** The connection was upgraded: it is no longer read by the parser. */
export function releaseReading(socket: object): void {
  readers.get(socket)?.release();
  readers.delete(socket);
}

class PieceReader {
  readonly #socket: Socket;
  readonly #parse: Listener;
  readonly #shares: LoopShares;
  readonly #peer: string;
  readonly #read = (chunk: Buffer): void => this.#add(chunk);
  #rest = NOTHING;
  #isWaiting = false;
  #isReleased = false;

  constructor(socket: Socket, parse: Listener, { shares, peer }: { shares: LoopShares; peer: string }) {
    this.#socket = socket;
    this.#parse = parse;
    this.#shares = shares;
    this.#peer = peer;
    socket.on('data', this.#read);
  }

  /** What follows belongs to whoever takes the connection over. */
  release(): void {
    this.#isReleased = true;
    this.#socket.off('data', this.#read);
    if (this.#rest.length > 0) this.#socket.unshift(this.#rest);
    this.#rest = NOTHING;
  }

  #add(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    if (this.#isWaiting) this.#socket.pause();
    else if (!this.#shares.isFree(this.#peer)) this.#wait((resume) => this.#shares.whenFree(this.#peer, resume));
    else {
      this.#shares.turnOf(this.#peer);
      this.#parseRest();
    }
  }

  #wait(until: (resume: () => void) => void): void {
    this.#isWaiting = true;
    this.#socket.pause();
    until(() => {
      this.#isWaiting = false;
      if (this.#isReleased || this.#socket.destroyed) return;
      // Before the parser, which may have a reason of its own to pause the connection.
      this.#socket.resume();
      this.#parseRest();
    });
  }

  #parseRest(): void {
    if (this.#rest.length <= PIECE_BYTES) {
      const piece = this.#rest;
      this.#rest = NOTHING;
      this.#parse.call(this.#socket, piece);
      return;
    }
    const end = performance.now() + TURN_MS;
    while (this.#rest.length > 0 && !this.#socket.destroyed && !this.#isReleased) {
      if (performance.now() > end) {
        this.#wait((resume) => void setImmediate(() => this.#shares.whenFree(this.#peer, resume)));
        return;
      }
      const piece = this.#rest.subarray(0, PIECE_BYTES);
      this.#rest = this.#rest.subarray(PIECE_BYTES);
      this.#parse.call(this.#socket, piece);
    }
  }
}
