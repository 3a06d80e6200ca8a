// Node keeps what it compiles of the bundles, from 22.8 on: a command then starts in less time. In a directory that only its owner
// writes, since what is in it is run.
import { mkdirSync, statSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

const WRITABLE_BY_OTHERS = 0o022;

/** @returns the directory, which is made; undefined where it cannot be had, or others may write to it. */
export function compileCache(env, home) {
  const { XDG_CACHE_HOME: named = '' } = env;
  const directory = join(isAbsolute(named) ? named : join(home, '.cache'), 'switchyard', 'compiled');
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(directory);
    return uid === process.getuid?.() && (mode & WRITABLE_BY_OTHERS) === 0 ? directory : undefined;
  } catch {
    return undefined;
  }
}

export function enableCompileCache() {
  if (module.enableCompileCache === undefined) return;
  const directory = compileCache(process.env, homedir());
  if (directory !== undefined) module.enableCompileCache(directory);
}
