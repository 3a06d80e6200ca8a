import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { peerOf } from '../access/peer.ts';
import type { Busyness } from '../connections/guard.ts';
import { RateLimit } from '../rate-limit.ts';
import type { Rejections } from '../rejections.ts';

export interface SessionBounds {
  /** A session without calls ends after this time without a byte. */
  readonly idleMs: number;
  /** From the header of a request to its last byte. */
  readonly requestTimeoutMs: number;
}

/** Calls that clients of one address gave up before they were answered: as many at once, and so many each second. */
const RESETS = { burst: 200, perSecond: 20, maxClients: 4_096 };
/** Frames that only cost time: pings and changed settings. Clients of gRPC that keep a session alive send one in seconds. */
const CONTROL_FRAMES = { burst: 100, perSecond: 10, maxClients: 4_096 };
const SWEEP_MS = 5_000;

/**
 * Watches the HTTP/2 sessions of a server: ends what does nothing and requests that stay incomplete, and closes sessions
 * whose client makes the server work for nothing (rapid resets, floods of pings or settings) with ENHANCE_YOUR_CALM. What
 * is counted is counted for the client's address, so that a new connection does not start from zero.
 */
export class SessionWatch {
  readonly #bounds: SessionBounds;
  readonly #rejections: Rejections;
  readonly #open = new Map<ServerHttp2Session, Map<ServerHttp2Stream, number>>();
  readonly #resets = new RateLimit(RESETS);
  readonly #controlFrames = new RateLimit(CONTROL_FRAMES);
  readonly #sweep: NodeJS.Timeout;

  constructor(bounds: SessionBounds, rejections: Rejections) {
    this.#bounds = bounds;
    this.#rejections = rejections;
    this.#sweep = setInterval(() => this.#endOverdue(), Math.min(SWEEP_MS, bounds.requestTimeoutMs)).unref();
  }

  /** @returns what the session does, for those who share connections out. */
  add(session: ServerHttp2Session): Busyness {
    const streams = new Map<ServerHttp2Stream, number>();
    const peer = peerOf(session.socket.remoteAddress) ?? 'local';
    let lastEnd: number | undefined;
    const accepted = performance.now();
    this.#open.set(session, streams);
    session.once('close', () => this.#open.delete(session));
    session.on('stream', (stream) => {
      streams.set(stream, performance.now());
      stream.once('close', () => {
        streams.delete(stream);
        if (stream.headersSent) lastEnd = performance.now();
        else this.#count(this.#resets, 'calls-reset', session, peer);
      });
    });
    const control = (): void => this.#count(this.#controlFrames, 'control-frame-flood', session, peer);
    session.on('ping', control);
    session.on('remoteSettings', control);
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

  /** Lets calls under way end. */
  close(): void {
    clearInterval(this.#sweep);
    for (const session of this.#open.keys()) session.close();
  }

  destroy(): void {
    for (const session of this.#open.keys()) session.destroy();
  }

  #count(limit: RateLimit, reason: string, session: ServerHttp2Session, peer: string): void {
    if (session.closed || session.destroyed || limit.take(peer, 1, performance.now())) return;
    this.#rejections.add(reason, peer);
    session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
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
