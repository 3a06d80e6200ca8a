import { AsyncLocalStorage } from 'node:async_hooks';
import { Links, runProcess, type World } from '@switchyard/service';
import type { AnyProcess } from './programs.ts';

export interface PartOptions {
  /** Name for messages, and its work. */
  readonly name: string;
  readonly load: () => Promise<AnyProcess>;
  /** Milliseconds that each handler of a rollup may take; as long as it likes, if absent. */
  readonly handlerLimitMs?: number | undefined;
  /** The whole environment of the part. */
  readonly env: Readonly<Record<string, string>>;
  /** Takes the part's output: log lines, and errors, each with its line end. */
  readonly write: (text: string) => void;
}

/** A process of ours that runs inside this one. */
export interface Part {
  /** Exit code, once everything of the part is closed. Never rejects. */
  readonly ended: Promise<number>;
  /** Resolves once everything of the part is closed, also if that was not waited for. Never rejects. */
  readonly closed: Promise<void>;
  /** Asks the part to end; a second time, it is not waited for. @param why Reason for its log, such as `SIGTERM`. */
  stop(why: string): void;
  /** Ends the part abruptly for all others: they do not reach it any more, nor it them. It closes on its own. */
  cutOff(): void;
}

export interface HostOptions {
  /**
   * Whether `takeUnhandled` knows whose code an error came from. Before Node 24 each promise costs more then, for every host of the
   * process, until its parts have ended.
   */
  readonly attributes?: boolean;
  /** Links between the parts, if not the usual ones. */
  readonly links?: Links;
}

type Fail = (error: unknown) => void;
interface Running {
  readonly name: string;
  readonly fail: Fail;
}

/** Parts that share this process: they run as their own programs would, and call each other without a connection. */
export class Host {
  readonly #links: Links;
  /** The part whose code is running, and how it fails. */
  readonly #running: AsyncLocalStorage<Running> | undefined;
  readonly #parts = new Set<Fail>();

  constructor({ attributes = true, links = new Links() }: HostOptions = {}) {
    this.#links = links;
    this.#running = attributes ? new AsyncLocalStorage() : undefined;
  }

  start({ name, load, env, handlerLimitMs, write: output }: PartOptions): Part {
    // The reader of the output is no part.
    const write = this.#running === undefined ? output : (text: string) => this.#running?.exit(output, text);
    const stops: ((why: string) => void)[] = [];
    const links = this.#links.of(name);
    let wanted = 0;
    let code: number | undefined;
    let end: () => void = () => undefined;
    const ended = new Promise<number>((resolve) => {
      end = () => resolve(code ?? 1);
    });
    const stop = (why: string): void => {
      wanted += 1;
      for (const each of stops) each(why);
      if (wanted > 1) end();
    };
    let fail: Fail = (error) => write(`${name}: ${String(error)}\n`);
    const failed: Fail = (error) => {
      fail(error);
      if (wanted === 0) stop('an unhandled error');
    };
    const world: World = {
      ...{ env, args: [], terminal: false, stdout: write, stderr: write, links, handlerLimitMs },
      onSignal: (each) => void stops.push(each),
      // A part has no input; it ends with this process in any case.
      onInputEnd: () => undefined,
      onUnhandled: (each) => {
        fail = each;
      },
      exit: (value) => {
        code ??= value;
      },
    };
    this.#parts.add(failed);
    const run = () =>
      load()
        .then((spec) => (links.isCutOff ? undefined : runProcess(spec, world)))
        .catch((error: unknown) => fail(error))
        .finally(() => {
          this.#parts.delete(failed);
          if (this.#parts.size === 0) this.#running?.disable();
          end();
        });
    const closed = this.#running === undefined ? run() : this.#running.run({ name, fail: failed }, run);
    const cutOff = (): void => {
      links.cutOff();
      stop('its end');
      stop('its end');
    };
    return { ended, closed, stop, cutOff };
  }

  /**
   * Takes an error that was handled nowhere, in the context in which it came up: the part whose code it came from reports it, closes,
   * and ends with the code of an unhandled error.
   *
   * @returns false if it came from no part.
   */
  takeUnhandled(error: unknown): boolean {
    const running = this.#running?.getStore();
    running?.fail(error);
    return running !== undefined;
  }

  /** Name of the part whose code is running. */
  runningPart(): string | undefined {
    return this.#running?.getStore()?.name;
  }
}
