import { connect } from 'node:net';
import type { Recovery } from './check/recovery.ts';
import type { Service } from './service.ts';

const EVERY_MS = 150;
const ANSWER_MS = 1_000;

interface Waiting {
  readonly fault: string;
  readonly at: number;
  /** When the fault was over. */
  readonly since: number;
}

/** Asks every service again and again whether it is ready, from outside, and times how long each is not after a fault. */
export class Watch {
  readonly recoveries: Recovery[] = [];
  readonly #services: readonly Service[];
  readonly #waiting = new Map<string, Waiting>();
  readonly #stop = new AbortController();
  readonly #began = performance.now();
  readonly #loops: Promise<unknown>;

  constructor(services: readonly Service[]) {
    this.#services = services;
    this.#loops = Promise.all(services.map((service) => this.#loop(service)));
  }

  /**
   * A fault is over now; each of these services has to be ready again. A service that was not ready before keeps its time,
   * unless its process was killed `again`, which ends its work.
   */
  expect(
    fault: string,
    services: readonly string[] = this.#services.map(({ name }) => name),
    { again = false } = {},
  ): void {
    const since = performance.now();
    for (const service of services) {
      if (!again && this.#waiting.has(service)) continue;
      this.#waiting.set(service, { fault, at: since - this.#began, since });
    }
  }

  /** Resolves when all are ready, or not within the time. */
  async allReady(withinMs: number): Promise<boolean> {
    this.expect('end');
    for (const end = performance.now() + withinMs; performance.now() < end; await rest(EVERY_MS)) {
      if (this.#waiting.size === 0) return true;
    }
    return false;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#loops;
    for (const [service, { fault, at }] of this.#waiting) {
      this.recoveries.push({ service, fault, at, ms: undefined });
    }
  }

  async #loop({ name, readyUrl }: Service): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const waiting = this.#waiting.get(name);
      if (waiting !== undefined) {
        const isReady = await answers(readyUrl);
        if (isReady && this.#waiting.get(name) === waiting) {
          this.#waiting.delete(name);
          const { fault, at, since } = waiting;
          if (fault !== 'end') this.recoveries.push({ service: name, fault, at, ms: performance.now() - since });
        }
      }
      await rest(EVERY_MS);
    }
  }
}

function takesConnections({ hostname, port }: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), timeout: ANSWER_MS });
    const end = (isThere: boolean) => () => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false));
  });
}

async function answers(url: string): Promise<boolean> {
  if (url.startsWith('tcp:')) return takesConnections(new URL(url));
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) });
    const text = await answer.text();
    // CometBFT answers 200 with an error inside while its application is away.
    return answer.ok && !text.includes('"error"');
  } catch {
    return false;
  }
}

const rest = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
