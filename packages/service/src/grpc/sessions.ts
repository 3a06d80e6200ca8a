import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { findPeer } from '../access/peer.ts';
import type { Busyness } from '../connections/guard.ts';
import { Turns } from '../connections/turns.ts';
import type { Rejections } from '../telemetry/rejections.ts';
import { RateLimit } from '../timing/rate-limit.ts';

export interface SessionBounds {
  /** A session without calls ends after this time without a byte. */
  readonly idleMs: number;
  /** From the header of a request to its last byte. */
  readonly requestTimeoutMs: number;
}

/** Calls that clients of one address gave up before they were answered: as many at once, and this many each second. */
const RESETS = { burst: 200, perSecond: 20, maxClients: 4_096 };
/** Pings of one session; clients that keep it alive send one in seconds. (Floods of other frames end in Node's limits.) */
const PINGS = { burst: 100, perSecond: 10, maxClients: 4_096 };
const SWEEP_MS = 5_000;

/**
 * Watches the HTTP/2 sessions of a server: ends idle sessions and requests that stay incomplete, and closes sessions
 * whose client makes the server work for nothing (rapid resets, floods of pings) with ENHANCE_YOUR_CALM. Resets
 * are counted for the client's address, so that a new connection does not start from zero; it costs clients that do not
 * reset calls nothing.
 */
export class SessionWatch {
  readonly #bounds: SessionBounds;
  readonly #rejections: Rejections;
  readonly #open = new Map<ServerHttp2Session, Map<ServerHttp2Stream, number>>();
  readonly #ending = new WeakSet<object>();
  readonly #resets = new RateLimit(RESETS);
  readonly #pings = new RateLimit(PINGS);
  /** A session ends with all its streams, which takes long: one in each round of the event loop. */
  readonly #ends = new Turns();
  readonly #sweep: NodeJS.Timeout;
  #count = 0;

  constructor(bounds: SessionBounds, rejections: Rejections) {
    this.#bounds = bounds;
    this.#rejections = rejections;
    this.#sweep = setInterval(() => this.#endOverdue(), Math.min(SWEEP_MS, bounds.requestTimeoutMs)).unref();
  }

  /** @returns how busy the session is, for the distribution of connections. */
  add(session: ServerHttp2Session): Busyness {
    const streams = new Map<ServerHttp2Stream, number>();
    const peer = findPeer(session.socket.remoteAddress) ?? 'local';
    let lastEnd: number | undefined;
    const accepted = performance.now();
    this.#open.set(session, streams);
    session.once('close', () => this.#open.delete(session));
    session.on('stream', (stream) => {
      if (this.isEnding(session)) return;
      streams.set(stream, performance.now());
      stream.once('close', () => {
        streams.delete(stream);
        const reset = stream.aborted || stream.rstCode !== constants.NGHTTP2_NO_ERROR;
        if (!reset) lastEnd = performance.now();
        else this.#endUnless(this.#resets.take(peer, 1, performance.now()), 'calls-reset', session, peer);
      });
    });
    this.#count += 1;
    const own = String(this.#count);
    session.on('ping', () => {
      this.#endUnless(this.#pings.take(own, 1, performance.now()), 'ping-flood', session, peer);
    });
    session.setTimeout(this.#bounds.idleMs, () => {
      if (streams.size === 0) session.close();
      for (const stream of streams.keys()) if (!stream.readableEnded) stream.close(constants.NGHTTP2_CANCEL);
    });
    return () => {
      for (const stream of streams.keys()) {
        if (stream.readableEnded) return { activity: 'busy', since: lastEnd ?? accepted };
      }
      if (lastEnd !== undefined && streams.size === 0) return { activity: 'idle', since: lastEnd };
      return { activity: 'incomplete', since: lastEnd ?? accepted };
    };
  }

  /** Whether its client went too far: frames that come before the session ends, often a thousand calls, are not worth looking at. */
  isEnding(session: object): boolean {
    return this.#ending.has(session);
  }

  /** Lets calls under way end. */
  close(): void {
    clearInterval(this.#sweep);
    for (const session of this.#open.keys()) session.close();
  }

  destroy(): void {
    for (const session of this.#open.keys()) session.destroy();
  }

  #endUnless(calm: boolean, reason: string, session: ServerHttp2Session, peer: string): void {
    if (calm || session.closed || session.destroyed || this.#ending.has(session)) return;
    this.#ending.add(session);
    this.#rejections.add(reason, peer);
    // Calls that come after this are thrown away before they reach Node's code, and a turn of the event loop reads megabytes of them.
    session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    // Not while frames are being read: Node 22 aborts at the next frame of a session that is destroyed in between.
    void this.#ends.take().then(() => {
      if (!session.destroyed) session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
    });
  }

  #endOverdue(): void {
    const before = performance.now() - this.#bounds.requestTimeoutMs;
    for (const streams of this.#open.values()) {
      for (const [stream, began] of streams) {
        if (began < before && !stream.readableEnded) stream.close(constants.NGHTTP2_CANCEL);
      }
    }
  }
}
