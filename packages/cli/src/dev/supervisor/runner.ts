import { type ChildProcess, spawn } from 'node:child_process';
import type { ServiceState, ServiceStatus, SupervisorEvent } from './events.ts';
import { createLineCutter } from './lines.ts';
import { probe } from './probe.ts';
import { signalGroup } from './processes.ts';
import { afterExit, type Exit } from './restart.ts';
import type { ServiceSpec } from './spec.ts';

/** Often enough not to be noticed, seldom enough not to take the processor from services that are starting. */
const PROBE_EVERY_MS = 75;
/** How long we wait for the last lines of a process that has ended; a descendant may keep the pipe open. */
const DRAIN_MS = 200;
const LAST_LINES = 20;

/** One service: its process, started again when it ends, until it is told to stop. */
export class Runner {
  readonly spec: ServiceSpec;
  readonly #emit: (event: SupervisorEvent) => void;
  readonly #tellAfterMs: number;
  #state: ServiceState = 'waiting';
  #child: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();
  #reason: string | undefined;
  #lastLines: string[] = [];
  #failures = 0;
  #restarts = 0;
  #pause: NodeJS.Timeout | undefined;

  /** @param tellAfterMs A service that is merely starting says nothing; after this, it tells why it is not ready. */
  constructor(spec: ServiceSpec, emit: (event: SupervisorEvent) => void, tellAfterMs: number) {
    this.spec = spec;
    this.#emit = emit;
    this.#tellAfterMs = tellAfterMs;
  }

  get status(): ServiceStatus {
    const { name } = this.spec;
    return { name, state: this.#state, pid: this.#child?.pid, restarts: this.#restarts, reason: this.#reason };
  }

  start(): void {
    const startedAt = performance.now();
    const { name, command, args, env, cwd, own } = this.spec;
    this.#state = 'starting';
    this.#reason = undefined;
    this.#lastLines = [];
    const child = spawn(command, [...args], {
      ...(cwd === undefined ? {} : { cwd }),
      // Our own services end when this pipe closes, also when we are killed and can tell nobody.
      env: own ? { ...env, SWITCHYARD_PARENT_PIPE: '1' } : { ...env },
      stdio: [own ? 'pipe' : 'ignore', 'pipe', 'pipe'],
      // A group of its own: Ctrl+C reaches us only, and its descendants can be ended with it.
      detached: true,
    });
    this.#child = child;
    child.stdin?.on('error', () => {});
    const cutters = [child.stdout, child.stderr].map((stream) => {
      const cutter = createLineCutter((text) => this.#line(text));
      stream?.on('data', (chunk: Uint8Array) => cutter.push(chunk));
      return cutter;
    });
    this.#ended = exitOf(child).then((exit) => {
      for (const cutter of cutters) cutter.end();
      this.#onExit(exit, performance.now() - startedAt);
    });
    if (child.pid === undefined) return;
    this.#emit({ kind: 'started', service: name, pid: child.pid });
    void this.#becomeReady(child, child.pid, startedAt);
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

  #line(text: string): void {
    if (this.#lastLines.push(text) > LAST_LINES) this.#lastLines.shift();
    this.#emit({ kind: 'line', service: this.spec.name, text });
  }

  async #becomeReady(child: ChildProcess, pid: number, startedAt: number): Promise<void> {
    const { ready, name } = this.spec;
    let toldOf: string | undefined;
    while (ready !== undefined && this.#child === child && this.#state === 'starting') {
      const answer = await probe(ready, pid);
      if (answer.ready) break;
      this.#reason = answer.reason;
      if (performance.now() - startedAt > this.#tellAfterMs && answer.reason !== toldOf && this.#child === child) {
        toldOf = answer.reason;
        this.#emit({ kind: 'not-ready', service: name, reason: answer.reason });
      }
      await new Promise((resolve) => setTimeout(resolve, PROBE_EVERY_MS));
    }
    if (this.#child !== child || this.#state !== 'starting') return;
    this.#state = 'ready';
    this.#reason = undefined;
    this.#emit({ kind: 'ready', service: name, ms: Math.round(performance.now() - startedAt) });
  }

  #onExit(exit: Exit, ms: number): void {
    const { name, own } = this.spec;
    // Descendants that the process left behind hold its ports.
    if (this.#child?.pid !== undefined) signalGroup(this.#child.pid, 'SIGKILL');
    this.#child = undefined;
    if (this.#state === 'stopping') {
      this.#rest('stopped');
      this.#emit({ kind: 'stopped', service: name, killed: exit.signal === 'SIGKILL' });
      return;
    }
    this.#emit({ kind: 'exited', service: name, exit, lastLines: this.#lastLines });
    const next = afterExit(exit, { ms, failures: this.#failures, own });
    if (next.kind === 'finished') {
      this.#rest('finished');
      this.#emit({ kind: 'finished', service: name });
    } else if (next.kind === 'give-up') {
      this.#rest('failed', next.reason);
      this.#emit({ kind: 'failed', service: name, reason: next.reason });
    } else {
      this.#state = 'restarting';
      this.#failures = next.failures;
      this.#emit({ ...next, kind: 'restarting', service: name });
      this.#pause = setTimeout(() => {
        this.#restarts += 1;
        this.start();
      }, next.afterMs);
    }
  }

  #rest(state: 'stopped' | 'finished' | 'failed', reason?: string): void {
    this.#state = state;
    this.#reason = reason;
  }
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
