import { anySignal, type Clock, forManyListeners, HttpError, isLoopbackPeer, Places } from '@switchyard/service';

export interface StreamBounds {
  /** Open streams in all, of which one address, loopback too, has half at most. */
  readonly maxStreams: number;
  /** Open streams of one client address. Loopback addresses, which many programs share, are exempt. */
  readonly maxStreamsOfAddress: number;
}

export interface StreamRequest {
  readonly client: string;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
  /** The next frames, when there are some; undefined ends the stream. Called when the client has read those before. */
  next(signal: AbortSignal): Promise<Uint8Array | undefined>;
}

export const HEARTBEAT_MS = 15_000;
/** Heartbeats that a client may leave unread. */
const MAX_MISSED = 4;
const encoder = new TextEncoder();
const OPENING = encoder.encode('retry: 1000\n\n');
const HEARTBEAT = encoder.encode(': still here\n\n');

/** A client that holds a place. */
export interface StreamClient {
  /** Whether it has taken everything that was sent. */
  isReading: boolean;
  /** Heartbeats since it has not. */
  missed: number;
  /** Called from time to time while it reads. */
  beat(): void;
  end(reason: 'slow-reader' | 'node-stopping'): void;
}

/**
 * Streams of server-sent events. Each reads on from its own place when its client has read earlier ones, so that a slow
 * client makes the node hold nothing for it. A client that reads nothing for a minute is ended; it can resume.
 */
export class EventStreams {
  readonly #bounds: StreamBounds;
  readonly #stopping: AbortSignal;
  readonly #clock: Clock;
  readonly #clients = new Set<StreamClient>();
  readonly #places: Places;

  constructor(bounds: StreamBounds, { signal, clock }: { readonly signal: AbortSignal; readonly clock: Clock }) {
    this.#bounds = bounds;
    this.#places = new Places(bounds.maxStreams);
    this.#stopping = forManyListeners(signal);
    this.#clock = clock;
    const stop = (): void => this.#all((client) => client.end('node-stopping'));
    signal.addEventListener('abort', stop, { once: true });
  }

  get size(): number {
    return this.#clients.size;
  }

  /** @throws {HttpError} 429 or 503 if there are too many. */
  open({ client: address, signal, next }: StreamRequest): ReadableStream<Uint8Array> {
    const ended = new AbortController();
    const stopped = anySignal(this.#stopping, signal, ended.signal);
    let stream: ReadableStreamDefaultController<Uint8Array>;
    const close = (last?: string): void => {
      if (!this.#clients.has(client)) return;
      if (last !== undefined) stream.enqueue(encoder.encode(last));
      leave();
      stream.close();
    };
    const client: StreamClient = {
      isReading: false,
      missed: 0,
      beat: () => stream.enqueue(HEARTBEAT),
      end: (reason) => close(`event: end\ndata: ${JSON.stringify({ reason })}\n\n`),
    };
    const leaveStreams = this.join(address, client);
    const leave = (): void => {
      leaveStreams();
      ended.abort();
    };
    signal.addEventListener('abort', () => close(), { once: true });
    return new ReadableStream<Uint8Array>(
      {
        start(controller) {
          stream = controller;
          controller.enqueue(OPENING);
        },
        async pull(controller) {
          Object.assign(client, { isReading: true, missed: 0 });
          const frames = await next(stopped).catch((error: unknown) => {
            if (stopped.aborted) return undefined;
            leave();
            throw error;
          });
          client.isReading = false;
          if (frames === undefined) close();
          else if (!stopped.aborted) controller.enqueue(frames);
        },
        cancel: leave,
      },
      // Nothing is read ahead of the client.
      { highWaterMark: 0 },
    );
  }

  /**
   * Gives a client a place, until it leaves by the function that is returned.
   *
   * @throws {HttpError} 429 or 503 if there are too many.
   */
  join(address: string, client: StreamClient): () => void {
    const leavePlace = this.#admit(address);
    if (this.#clients.size === 0) this.#beatLater();
    this.#clients.add(client);
    return () => {
      if (this.#clients.delete(client)) leavePlace();
    };
  }

  /** @returns a function that gives the place back. */
  #admit(address: string): () => void {
    const { maxStreamsOfAddress: maxOfAddress } = this.#bounds;
    if (!isLoopbackPeer(address) && this.#places.of(address) >= maxOfAddress) {
      throw new HttpError(429, 'too-many-streams', `this address has ${maxOfAddress} open streams; close one of them`);
    }
    const leave = this.#places.take(address);
    if (leave !== undefined) return leave;
    throw new HttpError(503, 'too-many-streams', `no stream is left: ${this.#places.full(address)}; try again later`);
  }

  /** Keeps proxies from closing idle connections, and finds clients that no longer read. */
  #beatLater(): void {
    const cancel = this.#clock.after(HEARTBEAT_MS, () => {
      this.#stopping.removeEventListener('abort', cancel);
      this.#all((client) => {
        if (client.isReading) client.beat();
        else client.missed += 1;
        if (client.missed >= MAX_MISSED) client.end('slow-reader');
      });
      if (this.#clients.size > 0) this.#beatLater();
    });
    this.#stopping.addEventListener('abort', cancel, { once: true });
  }

  #all(act: (client: StreamClient) => void): void {
    for (const client of [...this.#clients]) act(client);
  }
}
