import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { aborted } from '@switchyard/service';
import { watch } from 'chokidar';

/** The result of one run of the compiler. */
export interface Compiled {
  /** Code is emitted at once, for which types are not needed, and then they are checked. */
  readonly step: 'emit' | 'check';
  readonly succeeded: boolean;
  /** Text that the compiler printed. */
  readonly printed: string;
}

/** @returns the compiler of a project; undefined if it is not installed. */
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
      yield await compile('emit', compiler, project, signal);
      // A further change makes the check pointless.
      const stopped = AbortSignal.any([changed.signal, signal]);
      const checked = await compile('check', compiler, project, stopped).catch((error: unknown) => {
        if (!stopped.aborted) throw error;
      });
      if (checked !== undefined) yield checked;
      await aborted(AbortSignal.any([changed.signal, signal]));
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await watcher.close();
  }
}

const ARGUMENTS = { emit: ['--noResolve', '--noCheck'], check: ['--noEmit'] } as const;

async function compile(step: Compiled['step'], compiler: string, project: string, signal: AbortSignal) {
  const child = spawn(process.execPath, [compiler, '--pretty', 'false', ...ARGUMENTS[step]], {
    ...{ cwd: project, signal, stdio: ['ignore', 'pipe', 'inherit'] as const },
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const [status] = await once(child, 'close');
  return { step, succeeded: status === 0, printed };
}
