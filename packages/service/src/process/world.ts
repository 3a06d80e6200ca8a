import { readFileSync } from 'node:fs';
import type { Env } from '../input/schema.ts';
import type { Links } from '../links.ts';

/** Parts of the system that a process uses. */
export interface World {
  readonly env: Env;
  /** Arguments after the program's name. */
  readonly args: readonly string[];
  readonly terminal: boolean;
  /** Log lines and help. Absent: straight to standard output. */
  readonly stdout?: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Other parts of this process, if there are any. */
  readonly links?: Links | undefined;
  /**
   * Sends facts to our program that started this one for its own work, by a channel alongside the log: whole, regardless of their length.
   * Absent without such a program. Resolves when they are written.
   */
  readonly sendToParent?: ((facts: Readonly<Record<string, string>>) => Promise<void>) | undefined;
  /** Milliseconds that a block of a rollup may take, in a test. */
  readonly handlerLimitMs?: number | undefined;
  /** Calls `stop` with the name of each signal that asks the process to end. */
  onSignal(stop: (name: string) => void): void;
  /** Calls `end` once the other side of standard input is gone. */
  onInputEnd(end: () => void): void;
  /** Calls `fail` with every unhandled error. */
  onUnhandled(fail: (error: unknown) => void): void;
  exit(code: number): void;
}

/** The real one. Nothing else in the code base reads the environment or ends the process. */
export function processWorld(): World {
  const { env, send } = process;
  return {
    env,
    args: process.argv.slice(2),
    terminal: process.stdout.isTTY === true,
    stderr: (text) => {
      process.stderr.write(text);
    },
    ...(env.SWITCHYARD_PARENT_PIPE === '1' &&
      send !== undefined && {
        sendToParent: (facts) =>
          new Promise((resolve, reject) => {
            send.call(process, facts, undefined, undefined, (error) => (error === null ? resolve() : reject(error)));
          }),
      }),
    onSignal(stop) {
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop(name));
    },
    onInputEnd(end) {
      for (const event of ['end', 'close', 'error']) process.stdin.once(event, end);
      process.stdin.resume();
    },
    onUnhandled(fail) {
      process.on('uncaughtException', fail);
      process.on('unhandledRejection', fail);
      // A reader of our output that went away is reported by the system as an error of the stream.
      process.stderr.on('error', () => undefined);
      process.stdout.on('error', () => undefined);
    },
    exit: (code) => process.exit(code),
  };
}

/** The version of the whole repository; its packages move together. */
export function productVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const version =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : undefined;
  return String(version ?? 'unknown');
}
