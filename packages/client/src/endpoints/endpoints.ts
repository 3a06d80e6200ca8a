/** Several nodes of one chain, one of which is in use: a healthy one, as far as is known. */
import type { Clock, Logger } from '@switchyard/service';

export interface Endpoint<T> {
  /** Its address, for people. */
  readonly url: string;
  readonly client: T;
}

export interface EndpointState {
  /** The newest height that it has proved. */
  readonly height: bigint | undefined;
  /** When it may be used again after a failure. */
  readonly awayUntil: number;
  /** End of the exclusion after it returned invalid data. */
  readonly badUntil: number;
}

export interface EndpointsOptions {
  /** Blocks that the one in use may be behind another. */
  readonly maxLag: bigint;
  /** How long an endpoint that returned invalid data is not used. */
  readonly badForMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Kept extends EndpointState {
  readonly failures: number;
  readonly hasAnswered: boolean;
}

const AWAY_MS = { first: 500, most: 15_000 };

/** The index of the one to use. It stays as long as nothing is wrong with the current one. */
export function chooseEndpoint(
  states: readonly EndpointState[],
  current: number,
  { maxLag, now }: { readonly maxLag: bigint; readonly now: number },
): number {
  const usable = [...states.keys()].filter((index) => getWait(states[index], now) === 0);
  const getHeight = (index: number): bigint => states[index]?.height ?? -1n;
  const highest = usable.reduce((most, index) => (getHeight(index) > most ? getHeight(index) : most), -1n);
  const isKnown = states[current]?.height !== undefined;
  if (usable.includes(current) && (!isKnown || highest - getHeight(current) <= maxLag)) return current;
  const [best] = usable.filter((index) => getHeight(index) === highest);
  if (best !== undefined) return best;
  // All are unusable: take the endpoint that can be tried soonest.
  const waits = states.map((state) => getWait(state, now));
  return waits.indexOf(Math.min(...waits));
}

function getWait(state: EndpointState | undefined, now: number): number {
  return state === undefined ? Number.POSITIVE_INFINITY : Math.max(0, state.awayUntil - now, state.badUntil - now);
}

/**
 * The two addresses of each node, from two lists.
 *
 * @param names The settings that they come from.
 * @throws {Error} if the lists are not equally long.
 */
export function pairUrls(
  grpcUrls: readonly string[],
  rpcUrls: readonly string[],
  [grpcName, rpcName]: readonly [string, string],
): { readonly grpcUrl: string; readonly rpcUrl: string }[] {
  if (grpcUrls.length !== rpcUrls.length) {
    throw new Error(
      `${grpcName} names ${grpcUrls.length} sequencer nodes and ${rpcName} ${rpcUrls.length}: give both addresses of each, in the same order`,
    );
  }
  return grpcUrls.map((grpcUrl, index) => ({ grpcUrl, rpcUrl: rpcUrls[index] ?? '' }));
}

export class Endpoints<T> {
  readonly all: readonly Endpoint<T>[];
  readonly #options: EndpointsOptions;
  readonly #states: Kept[];
  #current = 0;
  #term = new AbortController();

  /** @param all At least one, in order of preference. */
  constructor(all: readonly Endpoint<T>[], options: EndpointsOptions) {
    if (all.length === 0) throw new RangeError('no endpoint was given');
    this.all = all;
    this.#options = options;
    this.#states = all.map(() => ({ height: undefined, awayUntil: 0, badUntil: 0, failures: 0, hasAnswered: false }));
  }

  get current(): Endpoint<T> {
    const current = this.all[this.#current];
    if (current === undefined) throw new Error('no such endpoint');
    return current;
  }

  /** The one in use has no known failure or fault. */
  get isUsable(): boolean {
    return getWait(this.#states[this.#current], this.#options.clock.now()) === 0;
  }

  /** Aborts when another one replaces the current one. */
  get term(): AbortSignal {
    return this.#term.signal;
  }

  /** The highest height proved by any of them, except endpoints that returned invalid data. */
  get highest(): bigint {
    const now = this.#options.clock.now();
    return this.#states.reduce(
      (most, { height = 0n, badUntil }) => (badUntil <= now && height > most ? height : most),
      0n,
    );
  }

  /**
   * It answered.
   *
   * @param height Its height, if that is proved: a height that is only claimed must not make the others seem to lag.
   */
  reportHeight(endpoint: Endpoint<T>, height?: bigint): void {
    this.#change(endpoint, (state) => ({
      ...state,
      height: height ?? state.height,
      awayUntil: 0,
      failures: 0,
      hasAnswered: true,
    }));
    const at = this.#states[this.#current]?.height ?? 0n;
    this.#choose(`another is ${this.highest - at} blocks ahead`);
  }

  /** It did not answer. */
  reportFailure(endpoint: Endpoint<T>, reason: string): void {
    const now = this.#options.clock.now();
    this.#change(endpoint, (state) => {
      const pause = Math.min(AWAY_MS.most, AWAY_MS.first * 2 ** state.failures);
      return { ...state, awayUntil: now + pause, failures: Math.min(state.failures + 1, 10) };
    });
    this.#choose(reason);
  }

  /** It returned invalid data. */
  reportFault(endpoint: Endpoint<T>, reason: string): void {
    const { badForMs, clock, log } = this.#options;
    if (this.all.length > 1) {
      log.error(
        { url: endpoint.url, reason, badForMs },
        'a sequencer endpoint returned invalid data, not using it for a while',
      );
    }
    this.#change(endpoint, (state) => ({
      ...state,
      height: undefined,
      hasAnswered: false,
      badUntil: clock.now() + badForMs,
    }));
    this.#choose(reason);
  }

  /** Facts for people. */
  status(): readonly object[] {
    const now = this.#options.clock.now();
    return this.all.map(({ url }, index) => {
      const { height, awayUntil = 0, badUntil = 0, hasAnswered = false } = this.#states[index] ?? {};
      const state = badUntil > now ? 'bad' : awayUntil > now ? 'away' : hasAnswered ? 'answers' : 'unknown';
      return { url, inUse: index === this.#current, state, height };
    });
  }

  #change(endpoint: Endpoint<T>, change: (state: Kept) => Kept): void {
    const index = this.all.indexOf(endpoint);
    const state = this.#states[index];
    if (state !== undefined) this.#states[index] = change(state);
  }

  #choose(reason: string): void {
    const { maxLag, clock, log } = this.#options;
    const next = chooseEndpoint(this.#states, this.#current, { maxLag, now: clock.now() });
    if (next === this.#current) return;
    const left = this.current;
    this.#current = next;
    // While none answers, each is tried in turn, which is not worth a warning each time.
    log[this.isUsable ? 'warn' : 'debug'](
      { left: left.url, url: this.current.url, reason },
      'switched to another sequencer endpoint',
    );
    this.#term.abort(new Error(`left ${left.url}: ${reason}`));
    this.#term = new AbortController();
  }
}
