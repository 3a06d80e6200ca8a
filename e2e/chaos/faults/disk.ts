import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, statfsSync } from 'node:fs';

/** A disk of its own for the state of a network, that can be full. */
export interface SmallDisk {
  /** Leaves no room from now on. */
  fill(): Promise<void>;
  free(): Promise<void>;
  unmount(): void;
}

/** Room for the state of a run: some kilobytes for each block and transaction. */
const SIZE = 4_096 * 2 ** 20;
const TRIES = 20;

/** Mounts a file system in memory at a directory. @returns a reason if this machine does not allow it. */
export function mountSmallDisk(directory: string, room = SIZE): SmallDisk | string {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'mounting a disk of its own needs Linux and root';
  mkdirSync(directory, { recursive: true });
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${room},mode=0700`, 'tmpfs', directory]);
  if (mounted.status !== 0) return `mount: ${String(mounted.stderr ?? mounted.error).trim()}`;
  const resize = (size: number): Promise<boolean> =>
    new Promise((resolve) => {
      const child = spawn('mount', ['-o', `remount,size=${size}`, directory], { stdio: 'ignore' });
      child.once('error', () => resolve(false));
      child.once('close', (code) => resolve(code === 0));
    });
  return {
    async fill() {
      // Made as small as its content. Refused if more was written in the meantime.
      for (let attempt = 0; attempt < TRIES; attempt += 1) {
        const { bsize, blocks, bfree } = statfsSync(directory);
        if (await resize(bsize * (blocks - bfree))) return;
      }
      throw new Error(`${directory} could not be made full in ${TRIES} tries`);
    },
    async free() {
      if (!(await resize(room))) throw new Error(`${directory} could not be made larger again`);
    },
    unmount: () => void spawnSync('umount', ['-l', directory]),
  };
}
