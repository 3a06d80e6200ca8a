import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { watch } from 'chokidar';

/** The result of one compilation. */
export interface Compiled {
  readonly succeeded: boolean;
  /** Text that the compiler printed. */
  readonly printed: string;
}

/** @returns the compiler of a project; undefined where it is not installed. */
export function compilerIn(project: string): string | undefined {
  try {
    const manifest = createRequire(join(project, 'package.json')).resolve('typescript/package.json');
    return join(manifest, '..', 'bin', 'tsc');
  } catch {
    return undefined;
  }
}

/** Compiles a project at first, and whenever one of these places has changed. It ends with the signal. */
export async function* compilations(
  compiler: string,
  project: string,
  places: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Compiled> {
  const watcher = watch([...places], { cwd: project, ignoreInitial: true });
  let changed = new AbortController();
  watcher.on('all', () => changed.abort());
  try {
    await once(watcher, 'ready', { signal });
    while (!signal.aborted) {
      changed = new AbortController();
      yield await compile(compiler, project, signal);
      await untilAborted(AbortSignal.any([changed.signal, signal]));
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await watcher.close();
  }
}

const untilAborted = (signal: AbortSignal): Promise<unknown> =>
  signal.aborted ? Promise.resolve() : once(signal, 'abort');

/** Files without a change since the last compilation are not checked again. */
const ARGUMENTS = ['--pretty', 'false', '--incremental', '--tsBuildInfoFile', 'dist/.tsbuildinfo'];

async function compile(compiler: string, project: string, signal: AbortSignal): Promise<Compiled> {
  const child = spawn(process.execPath, [compiler, ...ARGUMENTS], {
    ...{ cwd: project, signal, stdio: ['ignore', 'pipe', 'inherit'] as const },
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const [status] = await once(child, 'close');
  return { succeeded: status === 0, printed };
}
