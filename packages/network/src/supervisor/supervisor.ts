import { setTimeout as sleep } from 'node:timers/promises';
import { plain } from '@switchyard/protocol/hidden-characters';
import { Failure } from '@switchyard/service/failure';
import { didYouMean } from '@switchyard/service/settings';
import { blockedBy, isSettled, isWaiting, unmet } from './dependencies.ts';
import type { ServiceStatus, SupervisorEvent } from './events.ts';
import { describeExit, type Exit } from './restart.ts';
import { Runner, type RunnerOptions } from './runner.ts';
import type { ServiceSpec } from './spec.ts';

export interface SupervisorOptions extends RunnerOptions {
  /** Grace period before SIGKILL, for all services together. */
  readonly stopWithinMs: number;
  /** Reads the description of a service again before a manual start; its files may have been edited. @throws {Failure} */
  readonly describe: (name: string) => ServiceSpec | undefined;
  /** Whether a service can be started now, such as whether its ports are free. @throws {Failure} */
  readonly check: (spec: ServiceSpec) => Promise<void>;
}

const DEFAULTS: SupervisorOptions = {
  stopWithinMs: 2_500,
  reportAfterMs: 5_000,
  describe: () => undefined,
  check: async () => {},
  random: Math.random,
  host: () => {
    throw new Error('no host for parts');
  },
};

type Listener = (event: SupervisorEvent) => void;

/** Starts services, keeps them running, stops them. Prints nothing and reads no files: it emits events. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #runners: readonly Runner[];
  readonly #listeners = new Set<Listener>();
  readonly #lastExits = new Map<string, { readonly exit: Exit; readonly lines: readonly string[] }>();
  readonly #turns = new Turns<Runner>();
  /** Stopped by hand. */
  readonly #down = new Set<Runner>();
  /** Runners that were running when all were paused. */
  #paused: Set<Runner> | undefined;
  #pausing = Promise.resolve();
  #stopping: Promise<void> | undefined;

  constructor(specs: readonly ServiceSpec[], options: Partial<SupervisorOptions> = {}) {
    this.#options = { ...DEFAULTS, ...options };
    this.#runners = specs.map((spec) => new Runner(spec, (event) => this.#emit(event), this.#options));
  }

  /** Starts every service whose conditions are met; the others follow. */
  start(): void {
    if (this.#isHalted) return;
    for (const runner of this.#runners) {
      if (runner.status.state === 'waiting' && unmet(runner, this.#runners).length === 0) runner.start();
    }
  }

  /**
   * Resolves when every service is ready, has done its work, or was stopped by hand.
   *
   * @throws {Failure} when a service has failed permanently; the others keep running.
   */
  ready(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const failed = this.failure();
        if (failed === undefined && !this.#runners.every((one) => isSettled(one) || this.#down.has(one))) return;
        this.#listeners.delete(look);
        if (failed === undefined) resolve();
        else reject(failed);
      };
      signal?.addEventListener('abort', () => {
        this.#listeners.delete(look);
        reject(signal.reason);
      });
      this.#listeners.add(look);
      look();
    });
  }

  /** Why a service has failed permanently, if one has. */
  failure(): Failure | undefined {
    const failed = this.#runners.find(({ status }) => status.state === 'failed');
    if (failed === undefined) return undefined;
    const { name } = failed.spec;
    const last = this.#lastExits.get(name);
    const how = last === undefined ? '' : ` (${describeExit(last.exit)})`;
    const lastLine = last?.lines.at(-1);
    const output = lastLine === undefined ? '' : `; last output: ${plain(lastLine)}`;
    const blocked = blockedBy(name, this.#runners);
    const waiting = blocked.length === 0 ? '' : `; waiting for it: ${blocked.join(', ')}`;
    return new Failure(`service ${name} does not run${how}: ${failed.status.reason}${output}${waiting}`);
  }

  /** Ends one service, waits until it is gone, and starts it. @throws {Failure} */
  async restart(name: string): Promise<void> {
    const runner = this.#runnerOf(name);
    await this.#turns.next(runner, async () => {
      this.#renew(runner);
      await endRunner(runner, this.#options.stopWithinMs);
      await this.#begin(runner);
    });
  }

  /** Ends one service and leaves it down until a manual start; the others keep running. @throws {Failure} */
  async stopService(name: string): Promise<void> {
    const runner = this.#runnerOf(name);
    await this.#turns.next(runner, async () => {
      this.#down.add(runner);
      await endRunner(runner, this.#options.stopWithinMs);
    });
  }

  /** Starts one service that does not run. Resolves when it has been, or waits for others. @throws {Failure} */
  async startService(name: string): Promise<void> {
    const runner = this.#runnerOf(name);
    await this.#turns.next(runner, async () => {
      const { state, pid } = runner.status;
      if (pid !== undefined || state === 'waiting') return;
      this.#renew(runner);
      // A pending restart has a timer, which would start it a second time.
      await endRunner(runner, this.#options.stopWithinMs);
      await this.#begin(runner);
    });
  }

  /** Ends all services until `resume`. Repeating it does nothing. */
  pause(): Promise<void> {
    if (!this.#isHalted) {
      this.#paused = new Set(this.#runners.filter(({ status }) => status.pid !== undefined || isWaiting(status)));
      this.#pausing = endInReverse(this.#runners, this.#options.stopWithinMs);
    }
    return this.#pausing;
  }

  /** Reads the descriptions of all services again, while they are paused. @throws {Failure} */
  renew(): void {
    for (const runner of this.#runners) this.#renew(runner);
  }

  /** Restarts the services that `pause` has ended. @throws {Failure} when something cannot be started; nothing is then. */
  async resume(): Promise<void> {
    await this.#pausing;
    if (this.#paused === undefined || this.#stopping !== undefined) return;
    for (const { spec } of this.#paused) await this.#options.check(spec);
    const again = this.#paused;
    this.#paused = undefined;
    for (const runner of again) runner.await();
    this.start();
  }

  get paused(): boolean {
    return this.#paused !== undefined;
  }

  /** Ends all services, the last started first; the rest is killed after 2.5 s. May be called twice. */
  stop(): Promise<void> {
    this.#stopping ??= endInReverse(this.#runners, this.#options.stopWithinMs);
    return this.#stopping;
  }

  status(): ServiceStatus[] {
    return this.#runners.map((runner) => {
      const { status } = runner;
      const others = status.state === 'waiting' ? unmet(runner, this.#runners) : [];
      return others.length === 0 ? status : { ...status, reason: `waits for ${others.join(', ')}` };
    });
  }

  /** @returns A function that ends the subscription. */
  on(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get #isHalted(): boolean {
    return this.#stopping !== undefined || this.#paused !== undefined;
  }

  #emit(event: SupervisorEvent): void {
    if (event.kind === 'exited') this.#lastExits.set(event.service, { exit: event.exit, lines: event.lastLines });
    const emitted = event.kind === 'failed' ? { ...event, waiting: blockedBy(event.service, this.#runners) } : event;
    for (const listener of this.#listeners) listener(emitted);
    if (event.kind === 'ready' || event.kind === 'finished') this.start();
  }

  #runnerOf(name: string): Runner {
    const runner = this.#runners.find(({ spec }) => spec.name === name);
    if (runner === undefined) {
      const names = this.#runners.map(({ spec }) => spec.name);
      throw new Failure(`no service ${name}, there is ${names.join(', ')}${didYouMean(name, names)}`);
    }
    if (this.#stopping !== undefined) throw new Failure('all services are being stopped');
    if (this.#paused !== undefined)
      throw new Failure('all services are paused, as while a snapshot is taken: try again later');
    return runner;
  }

  #renew(runner: Runner): void {
    const spec = this.#options.describe(runner.spec.name);
    if (spec !== undefined) runner.describeAs(spec);
  }

  /** Starts a service that has no process. */
  async #begin(runner: Runner): Promise<void> {
    if (!this.#isHalted) {
      try {
        await this.#options.check(runner.spec);
      } catch (error) {
        if (error instanceof Failure && !this.#isHalted) runner.giveUp(error.message);
        throw error;
      }
    }
    // Paused in the meantime: it is started with the others.
    this.#paused?.add(runner);
    if (this.#isHalted) return;
    this.#down.delete(runner);
    runner.await();
    this.start();
  }
}

/** Serialises work on each thing: it is done in the order of the requests, never two at once. */
class Turns<T> {
  readonly #last = new Map<T, Promise<void>>();

  next(thing: T, work: () => Promise<void>): Promise<void> {
    const turn = (this.#last.get(thing) ?? Promise.resolve()).then(work);
    this.#last.set(
      thing,
      turn.catch(() => {}),
    );
    return turn;
  }
}

/** Ends one service: asks it, and kills it when the time is over. */
async function endRunner(runner: Runner, ms: number): Promise<void> {
  await withTimeout(runner.terminate(), ms);
  await runner.kill();
}

/** Ends all services, the last started first, within one common time limit; then kills the rest. */
async function endInReverse(runners: readonly Runner[], ms: number): Promise<void> {
  const deadline = performance.now() + ms;
  const left = runners.toReversed();
  const ends: Promise<void>[] = [];
  for (const [index, runner] of left.entries()) {
    const ended = runner.terminate();
    ends.push(ended);
    // Each gets an equal share of the rest; unused time passes on to the next.
    await withTimeout(ended, (deadline - performance.now()) / (left.length - index));
  }
  await withTimeout(Promise.all(ends), deadline - performance.now());
  await Promise.all(left.map((runner) => runner.kill()));
}

/** Waits for `work`, but no longer than `ms`. */
async function withTimeout(work: Promise<unknown>, ms: number): Promise<void> {
  const abort = new AbortController();
  const pause = sleep(Math.max(ms, 0), undefined, { signal: abort.signal }).catch(() => undefined);
  await Promise.race([work, pause]);
  abort.abort();
}
