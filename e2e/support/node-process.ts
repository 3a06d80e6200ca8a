import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from './network.ts';

/** Runs the program of a package, with no other settings than these, until `use` is done. */
export async function withProcess<T>(
  name: string,
  env: Readonly<Record<string, string>>,
  use: (pid: number) => Promise<T>,
): Promise<T> {
  const child = spawn(process.execPath, [join(root, 'packages', name, 'dist', 'main.js')], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  try {
    return await use(child.pid ?? 0);
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}
