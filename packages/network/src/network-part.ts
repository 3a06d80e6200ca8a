import { type Links, sleep } from '@switchyard/service';
import type { Host, Part, PartOptions } from './host.ts';

export interface NetworkPartOptions extends Omit<PartOptions, 'write'> {
  /** Answers with a status below 300 once the part is ready. */
  readonly readyUrl: string;
  readonly fetch: Links['fetch'];
  readonly startWithinMs?: number;
  /** Takes its log lines with warnings and errors. */
  readonly note?: ((line: string) => void) | undefined;
  /** Called when it has ended although it was not asked to. */
  readonly onFailure?: (error: Error) => void;
}

const START_WITHIN_MS = 30_000;
const POLL_MS = 5;
const ANSWER_WITHIN_MS = 2_000;
/** Log lines that are kept, the newest ones. */
const MAX_LINES = 10_000;
const TROUBLE = /^[\d:.]+ (WARN|ERROR) /;

/** One part of a network, which can be stopped and started again. */
export class NetworkPart {
  readonly name: string;
  readonly readyUrl: string;
  readonly #host: Host;
  readonly #options: NetworkPartOptions;
  readonly #lines: string[] = [];
  /** Parts that were cut off, of which nothing is of interest any more. */
  readonly #cutOff = new WeakSet<Part>();
  #part: Part | undefined;
  /** Whether the running one was signalled to end. */
  #isAsked = false;

  constructor(host: Host, options: NetworkPartOptions) {
    this.name = options.name;
    this.readyUrl = options.readyUrl;
    this.#host = host;
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#part !== undefined;
  }

  /** Its newest log lines, oldest first. */
  get lines(): readonly string[] {
    return [...this.#lines];
  }

  /** Begins without waiting. Does nothing if it runs. */
  launch(): void {
    if (this.#part !== undefined) return;
    const { name, load, env, handlerLimitMs } = this.#options;
    const write = (text: string): void => {
      if (!this.#cutOff.has(part)) this.#write(text);
    };
    const part = this.#host.start({ name, load, env, handlerLimitMs, write });
    this.#part = part;
    this.#isAsked = false;
    void part.ended.then(() => {
      if (this.#cutOff.has(part)) return;
      this.#part = undefined;
      if (!this.#isAsked) this.#options.onFailure?.(this.#failure());
    });
  }

  /** Resolves when it answers at all, so that others need not ask for it again. @throws {Error} Like `ready`. */
  answers(): Promise<void> {
    return this.#until('has not answered', (status) => status > 0);
  }

  /** Resolves when it is ready. @throws {Error} with its last line if it has ended, or is not ready in time. */
  ready(): Promise<void> {
    return this.#until('is not ready', (status) => status >= 200 && status < 300);
  }

  async #until(problem: string, isEnough: (status: number) => boolean): Promise<void> {
    const { readyUrl, fetch, startWithinMs = START_WITHIN_MS } = this.#options;
    const end = performance.now() + startWithinMs;
    for (;;) {
      if (this.#part === undefined) throw this.#failure();
      const status = await getStatus(readyUrl, fetch);
      if (isEnough(status)) return;
      if (performance.now() > end) {
        const seen = status > 0 ? `${readyUrl} answers ${status}` : `${readyUrl} does not answer`;
        throw new Error(`${this.name} ${problem} after ${startWithinMs} ms: ${seen}`);
      }
      await sleep(POLL_MS);
    }
  }

  /** Asks it to end, and waits until everything of it is closed. Does nothing if it does not run. */
  async stop(why = 'stop'): Promise<void> {
    const part = this.#part;
    this.#isAsked = true;
    part?.stop(why);
    await part?.closed;
  }

  /**
   * Ends it as a second Ctrl+C would: all that it has begun is closed all the same, and this waits for that, since no other start
   * could open its files before.
   */
  async kill(): Promise<void> {
    const part = this.#part;
    this.#isAsked = true;
    part?.stop('kill');
    part?.stop('kill');
    await part?.closed;
  }

  /** Ends it abruptly, without waiting: its sockets and calls break, and code of it that still runs has no effect any more. */
  cutOff(): void {
    const part = this.#part;
    if (part === undefined) return;
    this.#cutOff.add(part);
    this.#part = undefined;
    part.cutOff();
  }

  /** Its last line, which is the error if it failed. */
  #failure(): Error {
    return new Error(`${this.name} has ended: ${this.#lines.at(-1) ?? 'without a word'}`);
  }

  #write(text: string): void {
    const lines = text.trimEnd().split('\n');
    this.#lines.push(...lines);
    for (const line of lines) if (TROUBLE.test(line)) this.#options.note?.(`${this.name}: ${line}`);
    this.#lines.splice(0, this.#lines.length - MAX_LINES);
  }
}

/** The status that a URL answers with; 0 without an answer. */
async function getStatus(url: string, fetch: Links['fetch']): Promise<number> {
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
  const response = await fetch(url, { signal }).catch(() => undefined);
  await response?.body?.cancel();
  return response?.status ?? 0;
}
