import { stripVTControlCharacters } from 'node:util';
import { plain } from '@switchyard/protocol/hidden-characters';
import type { Host } from '../host.ts';
import { type Body, type Output, partBody, processBody } from './body.ts';
import type { ServiceState, ServiceStatus, SupervisorEvent } from './events.ts';
import { createLineCutter } from './lines.ts';
import { type Answer, probe } from './probe.ts';
import { afterExit, describeExit, describeFailures, type Exit } from './restart.ts';
import type { Readiness, ServiceSpec } from './spec.ts';

/** Often enough not to be noticed, seldom enough not to take the processor from services that are starting. */
const PROBE_EVERY_MS = 75;
const LAST_LINES = 20;

export interface RunnerOptions {
  /** A service that is not ready after this is reported, with its reason. */
  readonly reportAfterMs: number;
  /** From 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  /** Runs services that are parts of this process; made when the first one starts. */
  readonly host: () => Host;
}

/** One service: its process, restarted when it ends, until it is stopped. */
export class Runner {
  readonly #emit: (event: SupervisorEvent) => void;
  readonly #options: RunnerOptions;
  #spec: ServiceSpec;
  #state: ServiceState = 'waiting';
  #body: Body | undefined;
  #startedAt: number | undefined;
  #ended: Promise<void> = Promise.resolve();
  #reason: string | undefined;
  #lastExit: string | undefined;
  /** The last output of the process that ended that way. */
  #lastOutput: readonly string[] = [];
  #lastLines: string[] = [];
  #failures = 0;
  #known = false;
  /** When it is started again, on the clock of `performance.now()`. */
  #nextStart = 0;
  #restarts = 0;
  #pause: NodeJS.Timeout | undefined;
  /** Pattern that a line has to match for the service to be ready; looked for while it starts. */
  #awaited: RegExp | undefined;

  constructor(spec: ServiceSpec, emit: (event: SupervisorEvent) => void, options: RunnerOptions) {
    this.#spec = spec;
    this.#emit = emit;
    this.#options = options;
  }

  get spec(): ServiceSpec {
    return this.#spec;
  }

  get status(): ServiceStatus {
    return {
      name: this.#spec.name,
      state: this.#state,
      pid: this.#body?.pid,
      restarts: this.#restarts,
      reason: this.#reasonNow(),
      ...(this.#body === undefined || this.#startedAt === undefined
        ? {}
        : { uptimeMs: Math.round(performance.now() - this.#startedAt) }),
      ...(this.#lastExit === undefined ? {} : { lastExit: this.#lastExit, lastLines: this.#lastOutput }),
      ...(this.#failures === 0 || this.#state === 'ready' ? {} : { failures: this.#failures }),
      ...(this.#state === 'restarting' ? { startsInMs: this.#pauseLeft() } : {}),
    };
  }

  /** Counts from the next start on. */
  describeAs(spec: ServiceSpec): void {
    this.#spec = spec;
  }

  /** Back to the beginning, for a service without a process: it is started once others are ready. */
  await(): void {
    this.#failures = 0;
    this.#lastExit = undefined;
    this.#lastOutput = [];
    this.#rest('waiting');
  }

  /** For a service without a process: it cannot be started, and it needs attention. */
  giveUp(reason: string): void {
    this.#rest('failed', reason);
    this.#emit({ kind: 'failed', service: this.#spec.name, reason });
  }

  start(): void {
    const began = performance.now();
    const { name, ready } = this.#spec;
    this.#state = 'starting';
    this.#reason = undefined;
    this.#startedAt = began;
    this.#lastLines = [];
    this.#awaited = ready?.kind === 'log' ? new RegExp(ready.pattern) : undefined;
    const cutter = () => createLineCutter((text) => this.#line(text, began));
    const cutters = { stdout: cutter(), stderr: cutter() };
    const body = this.#makeBody((stream, chunk) => cutters[stream].push(chunk));
    if (typeof body === 'string') {
      this.#onExit({ code: undefined, signal: undefined, error: body }, 0);
      return;
    }
    this.#body = body;
    this.#ended = body.exit.then((exit) => {
      for (const each of Object.values(cutters)) each.end();
      this.#onExit(exit, performance.now() - began);
    });
    if (body.pid === undefined) return;
    this.#known = true;
    this.#emit({ kind: 'started', service: name, pid: body.pid });
    void this.#becomeReady(body, body.pid, began);
  }

  /** Asks the process to end. Resolves when it has. */
  terminate(): Promise<void> {
    clearTimeout(this.#pause);
    if (this.#body?.pid === undefined) this.#rest('stopped');
    else {
      this.#state = 'stopping';
      this.#body.end('SIGTERM');
    }
    return this.#ended;
  }

  /** Ends the process at once. Resolves when it has ended. */
  kill(): Promise<void> {
    this.#body?.end('SIGKILL');
    return this.#ended;
  }

  /** @returns Why there is no process, for what the system refuses at once. */
  #makeBody(output: Output): Body | string {
    const { part } = this.#spec;
    try {
      return part === undefined
        ? processBody(this.#spec, output)
        : partBody(this.#options.host(), part, this.#spec, output);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  #line(text: string, began: number): void {
    if (this.#lastLines.push(text) > LAST_LINES) this.#lastLines.shift();
    this.#emit({ kind: 'line', service: this.#spec.name, text });
    if (this.#awaited?.test(stripVTControlCharacters(text)) && this.#state === 'starting') this.#isReady(began);
  }

  async #becomeReady(body: Body, pid: number, began: number): Promise<void> {
    const { ready, name } = this.#spec;
    let reported: string | undefined;
    while (ready !== undefined && this.#body === body && this.#state === 'starting') {
      const answer = await ask(ready, pid);
      if (answer.ready) break;
      this.#reason = answer.reason;
      if (
        performance.now() - began > this.#options.reportAfterMs &&
        answer.reason !== reported &&
        this.#body === body
      ) {
        reported = answer.reason;
        this.#emit({ kind: 'not-ready', service: name, reason: answer.reason });
      }
      await new Promise((resolve) => setTimeout(resolve, PROBE_EVERY_MS));
    }
    if (this.#body === body && this.#state === 'starting') this.#isReady(began);
  }

  #isReady(began: number): void {
    this.#state = 'ready';
    this.#reason = undefined;
    this.#awaited = undefined;
    this.#emit({ kind: 'ready', service: this.#spec.name, ms: Math.round(performance.now() - began) });
  }

  #onExit(exit: Exit, ms: number): void {
    const { name, own, endless = own } = this.#spec;
    this.#body = undefined;
    if (this.#state === 'stopping') {
      this.#rest('stopped');
      this.#emit({ kind: 'stopped', service: name, killed: exit.signal === 'SIGKILL' });
      return;
    }
    this.#lastExit = describeExit(exit);
    this.#lastOutput = this.#lastLines;
    this.#emit({ kind: 'exited', service: name, exit, lastLines: this.#lastLines });
    const ran = { ms, failures: this.#failures, endless, known: this.#known };
    const next = afterExit(exit, ran, this.#options.random);
    if (next.kind === 'finished') {
      this.#rest('finished');
      this.#emit({ kind: 'finished', service: name });
    } else if (next.kind === 'give-up') this.giveUp(next.reason);
    else {
      this.#failures = next.failures;
      this.#nextStart = performance.now() + next.afterMs;
      this.#rest('restarting');
      this.#emit({ ...next, kind: 'restarting', service: name });
      this.#pause = setTimeout(() => {
        this.#restarts += 1;
        this.start();
      }, next.afterMs);
    }
  }

  #pauseLeft(): number {
    return Math.max(0, Math.round(this.#nextStart - performance.now()));
  }

  /** Reason for people why a service is not ready, whether it waits to be started again or is being started. */
  #reasonNow(): string | undefined {
    if (this.#state !== 'restarting' && !(this.#state === 'starting' && this.#failures > 0)) return this.#reason;
    const last = this.#lastOutput.at(-1);
    return [
      `${this.#lastExit} ${describeFailures(this.#failures)}`,
      ...(last === undefined ? [] : [`last output: ${plain(last)}`]),
      this.#state === 'starting' ? (this.#reason ?? 'restarting') : `restarts in ${pauseText(this.#pauseLeft())}`,
    ].join('; ');
  }

  #rest(state: ServiceState, reason?: string): void {
    this.#state = state;
    this.#reason = reason;
  }
}

async function ask(ready: Readiness, pid: number): Promise<Answer> {
  if (ready.kind !== 'log') return probe(ready, pid);
  return { ready: false, reason: `has not printed a line that matches ${ready.pattern}` };
}

/** `250 ms`, `12 s`. */
export function pauseText(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${Math.round(ms / 1_000)} s`;
}
