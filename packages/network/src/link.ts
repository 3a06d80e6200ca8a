import { forManyListeners, type LinkPaths, sleep } from '@switchyard/service';

/**
 * Faults between two parts, in both directions. They concern the calls that parts of one process make to each other: gRPC, JSON-RPC,
 * and requests to HTTP APIs. What comes over a socket is not concerned, such as the calls of clients, and WebSockets.
 */
export type Link = Pick<Way, 'cut' | 'heal' | 'delay' | 'drop'>;

/** The way between two parts. */
class Way {
  readonly #name: string;
  #broken = newBreak();
  #isCut = false;
  #delayMs = 0;
  #drops = 0;

  constructor(name: string) {
    this.#name = name;
  }

  get broken(): AbortSignal {
    return this.#broken.signal;
  }

  /** From now on calls fail as over a broken connection; those under way, and streams, end so. */
  cut(): void {
    this.#isCut = true;
    this.#broken.abort();
  }

  /** Everything arrives again, and at once: undoes all faults of the link. */
  heal(): void {
    if (this.#isCut) this.#broken = newBreak();
    this.#isCut = false;
    this.#delayMs = 0;
    this.#drops = 0;
  }

  /** Each call, and each answer, takes this many milliseconds. With 0 it arrives at once. */
  delay(ms: number): void {
    this.#delayMs = ms;
  }

  /** Loses the next this many calls or answers, as when the connection breaks on the way. */
  drop(count: number): void {
    this.#drops = count;
  }

  travel(): Promise<void> | undefined {
    if (this.#isCut || this.#drops > 0) {
      if (!this.#isCut) this.#drops -= 1;
      return Promise.reject(new Error(`the connection between ${this.#name} is broken`));
    }
    return this.#delayMs === 0 ? undefined : sleep(this.#delayMs);
  }
}

/** Ways between the parts of a network, on which a test puts faults. */
export class FaultyWays implements LinkPaths {
  /** Each is under the names of its two parts, in both orders. */
  readonly #ways = new Map<string, Map<string, Way>>();

  between(one: string, other: string): Way {
    const known = this.#ways.get(one)?.get(other);
    if (known !== undefined) return known;
    const way = new Way(`${one} and ${other}`);
    this.#from(one).set(other, way);
    this.#from(other).set(one, way);
    return way;
  }

  #from(one: string): Map<string, Way> {
    const ways = this.#ways.get(one) ?? new Map<string, Way>();
    this.#ways.set(one, ways);
    return ways;
  }

  travel(from: string, to: string): Promise<void> | undefined {
    return this.between(from, to).travel();
  }

  lost(from: string, to: string): AbortSignal {
    return this.between(from, to).broken;
  }
}

function newBreak(): AbortController {
  const controller = new AbortController();
  forManyListeners(controller.signal);
  return controller;
}
