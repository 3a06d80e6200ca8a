import { fork } from 'node:child_process';
import { withDeadline } from '@switchyard/service';

/** Message to the process of a compilation. */
export interface CompileJob {
  /** The path of a `soljson.js`. */
  readonly compiler: string;
  /** Standard JSON. */
  readonly input: string;
  readonly maxMs: number;
  readonly maxBytes: number;
}

/** Answer of that process. */
export interface CompileReport {
  readonly version: string;
  /** Standard JSON; absent if it is too long. */
  readonly output: string | undefined;
}

export interface CompileOptions {
  /** Program of the process; a compiled file. */
  readonly program?: URL;
  readonly maxMs?: number;
  /** Resident memory. */
  readonly maxBytes?: number;
}

const PROGRAM = new URL('./compile-child.js', import.meta.url);
const MAX_MS = 120_000;
const MAX_BYTES = 1_536 * 1_048_576;

/** A compilation that has taken more than it may, or has crashed. */
export class CompilationEnded extends Error {
  override readonly name = 'CompilationEnded';
}

/**
 * Runs a compiler in a process of its own, with the priority of ours and none of its environment, which is ended when it takes
 * too long or too much memory.
 *
 * @throws {CompilationEnded}
 */
export async function compile(
  { compiler, input }: Pick<CompileJob, 'compiler' | 'input'>,
  { program = PROGRAM, maxMs = MAX_MS, maxBytes = MAX_BYTES }: CompileOptions,
  signal: AbortSignal,
): Promise<CompileReport> {
  const child = fork(program, [], { env: {}, stdio: ['ignore', 'ignore', 'ignore', 'ipc'], execArgv: [] });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const limits = `${Math.round(maxMs / 1_000)} s and ${Math.round(maxBytes / 1_048_576)} MiB`;
  const over = () => new CompilationEnded(`the compiler was ended: it may take ${limits}`);
  try {
    return await withDeadline({ ms: maxMs, signal, what: 'the compilation' }, (limit) => {
      return new Promise<CompileReport>((resolve, reject) => {
        child.once('message', (report) => resolve(report as CompileReport));
        child.once('error', reject);
        child.once('exit', (code) => reject(code === null ? over() : new CompilationEnded('the compiler crashed')));
        limit.addEventListener('abort', () => reject(over()), { once: true });
        const job: CompileJob = { compiler, input, maxMs, maxBytes };
        // If it ends at once, `exit` reports it.
        child.send(job, () => undefined);
      });
    });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw error instanceof Error && error.name === 'TimedOut' ? over() : error;
  } finally {
    child.kill('SIGKILL');
    if (child.pid !== undefined) await ended;
  }
}
