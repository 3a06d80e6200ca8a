import { type ChildProcess, spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { plain } from '../../print.ts';
import type { ServiceState, ServiceStatus, SupervisorEvent } from './events.ts';
import { guardGroup } from './guard.ts';
import { createLineCutter } from './lines.ts';
import { type Answer, probe } from './probe.ts';
import { signalGroup } from './processes.ts';
import { afterExit, describeExit, describeFailures, type Exit } from './restart.ts';
import type { Readiness, ServiceSpec } from './spec.ts';

/** Often enough not to be noticed, seldom enough not to take the processor from services that are starting. */
const PROBE_EVERY_MS = 75;
/** How long we wait for the last lines of a process that has ended; a descendant may keep the pipe open. */
const DRAIN_MS = 200;
const LAST_LINES = 20;

/** One service: its process, restarted when it ends, until it is stopped. */
export class Runner {
  readonly #emit: (event: SupervisorEvent) => void;
  readonly #reportAfterMs: number;
  readonly #random: () => number;
  #spec: ServiceSpec;
  #state: ServiceState = 'waiting';
  #child: ChildProcess | undefined;
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

  /** @param options `reportAfterMs`: from when on the reason is reported why a service is not ready. */
  constructor(
    spec: ServiceSpec,
    emit: (event: SupervisorEvent) => void,
    { reportAfterMs, random }: { readonly reportAfterMs: number; readonly random: () => number },
  ) {
    this.#spec = spec;
    this.#emit = emit;
    this.#reportAfterMs = reportAfterMs;
    this.#random = random;
  }

  get spec(): ServiceSpec {
    return this.#spec;
  }

  get status(): ServiceStatus {
    return {
      name: this.#spec.name,
      state: this.#state,
      pid: this.#child?.pid,
      restarts: this.#restarts,
      reason: this.#reasonNow(),
      ...(this.#child === undefined || this.#startedAt === undefined
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
    const { name, ready, own } = this.#spec;
    this.#state = 'starting';
    this.#reason = undefined;
    this.#startedAt = began;
    this.#lastLines = [];
    this.#awaited = ready?.kind === 'log' ? new RegExp(ready.pattern) : undefined;
    const child = this.#spawn();
    if (typeof child === 'string') {
      this.#onExit({ code: undefined, signal: undefined, error: child }, 0);
      return;
    }
    this.#child = child;
    child.stdin?.on('error', () => {});
    const unguard = own || child.pid === undefined ? () => {} : guardGroup(child.pid);
    const cutters = [child.stdout, child.stderr].map((stream) => {
      const cutter = createLineCutter((text) => this.#line(text, began));
      stream?.on('data', (chunk: Uint8Array) => cutter.push(chunk));
      return cutter;
    });
    this.#ended = exitOf(child).then((exit) => {
      for (const cutter of cutters) cutter.end();
      unguard();
      this.#onExit(exit, performance.now() - began);
    });
    if (child.pid === undefined) return;
    this.#known = true;
    this.#emit({ kind: 'started', service: name, pid: child.pid });
    void this.#becomeReady(child, child.pid, began);
  }

  /** Asks the process to end. Resolves when it has. */
  terminate(): Promise<void> {
    clearTimeout(this.#pause);
    const pid = this.#child?.pid;
    if (pid === undefined) this.#rest('stopped');
    else {
      this.#state = 'stopping';
      signalGroup(pid, 'SIGTERM');
    }
    return this.#ended;
  }

  /** Ends the process at once. Resolves when it has ended. */
  kill(): Promise<void> {
    if (this.#child?.pid !== undefined) signalGroup(this.#child.pid, 'SIGKILL');
    return this.#ended;
  }

  /** @returns Why there is no process, for what the system refuses at once. */
  #spawn(): ChildProcess | string {
    const { command, args, env, cwd, own } = this.#spec;
    try {
      return spawn(command, [...args], {
        ...(cwd === undefined ? {} : { cwd }),
        // Our own services end when this pipe closes, also when we are killed.
        env: own ? { ...env, SWITCHYARD_PARENT_PIPE: '1' } : { ...env },
        stdio: [own ? 'pipe' : 'ignore', 'pipe', 'pipe'],
        // A group of its own: Ctrl+C reaches us only, and its descendants can be ended with it.
        detached: true,
      });
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  #line(text: string, began: number): void {
    if (this.#lastLines.push(text) > LAST_LINES) this.#lastLines.shift();
    this.#emit({ kind: 'line', service: this.#spec.name, text });
    if (this.#awaited?.test(stripVTControlCharacters(text)) && this.#state === 'starting') this.#isReady(began);
  }

  async #becomeReady(child: ChildProcess, pid: number, began: number): Promise<void> {
    const { ready, name } = this.#spec;
    let reported: string | undefined;
    while (ready !== undefined && this.#child === child && this.#state === 'starting') {
      const answer = await ask(ready, pid);
      if (answer.ready) break;
      this.#reason = answer.reason;
      if (performance.now() - began > this.#reportAfterMs && answer.reason !== reported && this.#child === child) {
        reported = answer.reason;
        this.#emit({ kind: 'not-ready', service: name, reason: answer.reason });
      }
      await new Promise((resolve) => setTimeout(resolve, PROBE_EVERY_MS));
    }
    if (this.#child === child && this.#state === 'starting') this.#isReady(began);
  }

  #isReady(began: number): void {
    this.#state = 'ready';
    this.#reason = undefined;
    this.#awaited = undefined;
    this.#emit({ kind: 'ready', service: this.#spec.name, ms: Math.round(performance.now() - began) });
  }

  #onExit(exit: Exit, ms: number): void {
    const { name, own, endless = own } = this.#spec;
    // Descendants that the process left behind hold its ports.
    if (this.#child?.pid !== undefined) signalGroup(this.#child.pid, 'SIGKILL');
    this.#child = undefined;
    if (this.#state === 'stopping') {
      this.#rest('stopped');
      this.#emit({ kind: 'stopped', service: name, killed: exit.signal === 'SIGKILL' });
      return;
    }
    this.#lastExit = describeExit(exit);
    this.#lastOutput = this.#lastLines;
    this.#emit({ kind: 'exited', service: name, exit, lastLines: this.#lastLines });
    const ran = { ms, failures: this.#failures, endless, known: this.#known };
    const next = afterExit(exit, ran, this.#random);
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

/** Resolves once the process is gone and its output is read, or cannot be started. Never rejects. */
function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: undefined, signal: undefined, error: error.message }));
    child.once('exit', (code, signal) => {
      const done = () => resolve({ code: code ?? undefined, signal: signal ?? undefined });
      const timer = setTimeout(done, DRAIN_MS);
      child.once('close', () => {
        clearTimeout(timer);
        done();
      });
    });
  });
}
