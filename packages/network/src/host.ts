import { Links, runProcess, type World } from '@switchyard/service';
import type { ProgramName } from '@switchyard/stack/process';
import { type AnyProcess, processOf } from './programs.ts';

export interface PartOptions {
  /** One of ours, or a process as an entry file runs it. */
  readonly program: ProgramName | AnyProcess;
  /** The whole environment of the part. */
  readonly env: Readonly<Record<string, string>>;
  /** Takes the part's output: log lines, and errors, each with its line end. */
  readonly write: (text: string) => void;
}

/** A process of ours that runs inside this one. */
export interface Part {
  /** Exit code, once everything of the part is closed, or once it was asked to end twice. Never rejects. */
  readonly ended: Promise<number>;
  /** Resolves once everything of the part is closed, also where that was not waited for. Never rejects. */
  readonly closed: Promise<void>;
  /** Asks the part to end; a second time, it is not waited for. @param why Reason for its log, such as `SIGTERM`. */
  stop(why: string): void;
}

/** Parts that share this process: they run as their own programs would, and call each other without a connection. */
export class Host {
  readonly #links = new Links();

  start({ program, env, write }: PartOptions): Part {
    const asked = new Set<(why: string) => void>();
    let code: number | undefined;
    let end: (code: number) => void = () => undefined;
    const ended = new Promise<number>((resolve) => {
      end = resolve;
    });
    const world: World = {
      env,
      args: [],
      terminal: false,
      stdout: write,
      stderr: write,
      links: this.#links,
      onSignal: (stop) => void asked.add(stop),
      // The part ends with this process in any case, and its errors are attributed by their origin.
      onInputEnd: () => undefined,
      onUnhandled: () => undefined,
      exit: (value) => {
        code ??= value;
        end(code);
      },
    };
    const closed = (typeof program === 'string' ? processOf(program) : Promise.resolve(program))
      .then((spec) => runProcess(spec, world))
      .catch((error: unknown) => {
        write(
          `${typeof program === 'string' ? program : program.name}: ${error instanceof Error ? error.message : String(error)}\n`,
        );
        world.exit(1);
      });
    return { ended, closed, stop: (why) => [...asked].map((stop) => stop(why)) };
  }
}
