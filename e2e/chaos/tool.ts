import { connectControl, getStatus, type InstanceStatus } from '@switchyard/cli/dev';
import { cometbft } from '../support/comet.ts';
import { until } from '../support/network.ts';
import type { Stack } from './stack.ts';

const START_MS = 120_000;
const FIND_MS = 30_000;
const ORDER_MS = 30_000;
const POLL_MS = 200;

/** The `dev run` of a stack: it is killed, started again, and queried for its processes. */
export class Tool {
  readonly #stack: Stack;
  readonly #report: (check: string, detail: string) => void;
  #closed = false;
  /** Starts and kills that are wanted and not over; while there are any, the tool may be gone. */
  #inProgress = 0;
  #work: Promise<void> = Promise.resolve();

  /** @param report Reports an event that must not happen, such as an end of the tool that was not requested. */
  constructor(stack: Stack, report: (check: string, detail: string) => void) {
    this.#stack = stack;
    this.#report = report;
  }

  /** Starts the network and waits until all services are ready. */
  start(): Promise<void> {
    return this.#inTurn(() => this.#start());
  }

  /** Resolves when the tool is there, and is not just being started again. */
  settled(): Promise<void> {
    return this.#work;
  }

  status(): Promise<InstanceStatus> {
    return getStatus(this.#stack.paths, { ...process.env, ...this.#stack.network.env });
  }

  /** The process of a service, or of `tool`. @throws if there is none for a while. */
  async pid(target: string): Promise<number> {
    return until(`a process of ${target}`, () => this.runningPid(target), FIND_MS, POLL_MS);
  }

  /** The present process; undefined if there is none. */
  async runningPid(target: string): Promise<number | undefined> {
    if (target === 'tool') return this.#stack.network.toolPid();
    return (await this.status()).services.find(({ name }) => name === target)?.pid;
  }

  /** Kills the tool, and the processes that `kill` names, and starts the network again; one such after another. */
  killed(kill: () => Promise<void>): Promise<void> {
    return this.#inTurn(async () => {
      await kill();
      await until('the killed tool has ended', () => this.#stack.network.exit());
      await this.#start();
    });
  }

  /** Stops or starts one service by the tool's own command. */
  async order(verb: 'stop' | 'start', service: string): Promise<void> {
    await until(
      `dev ${verb} ${service}`,
      async () => {
        await this.settled();
        const control = await connectControl(this.#stack.paths);
        if (control === undefined) return undefined;
        await control[verb](service);
        return true;
      },
      ORDER_MS,
      POLL_MS,
    );
  }

  /** Notices an end that was not requested, and restarts the network so that the run can continue. */
  check(): void {
    const exit = this.#stack.network.exit();
    if (this.#closed || this.#inProgress > 0 || exit === undefined) return;
    const reason = this.#stack.network.output().trimEnd().split('\n').slice(-3).join(' | ');
    this.#report('supervisor', `dev run ended by itself with ${exit}: ${reason}`);
    this.start().catch((error: unknown) => this.#report('supervisor', String(error)));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#work.catch(() => undefined);
  }

  async #start(): Promise<void> {
    const { network, networkName } = this.#stack;
    const more = networkName === 'cometbft' && cometbft !== undefined ? ['--cometbft-path', cometbft] : [];
    await until(
      'dev run is ready',
      async () => {
        if (this.#closed) return true;
        await network.start(networkName, more, START_MS);
        return true;
      },
      START_MS,
      POLL_MS,
    );
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#inProgress += 1;
    this.#work = this.#work
      .catch(() => undefined)
      .then(work)
      .finally(() => (this.#inProgress -= 1));
    return this.#work;
  }
}
