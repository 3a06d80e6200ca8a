import { dirname, resolve } from 'node:path';
import type { StoreKindName } from '../kinds.ts';
import type { EngineOptions, StoreEngine } from '../store-engine.ts';
import type { StoreKey } from '../store-table.ts';

/** Keeps stores in place of files. */
export interface MountedDisk {
  open<K extends StoreKey>(directory: string, kind: StoreKindName, options: EngineOptions): StoreEngine<K>;
}

/** Disks of this process, by absolute path. A thread of it has its own. */
const mounts = new Map<string, MountedDisk>();

/** @returns Takes it away again; open stores stay open. */
export function mountDisk(prefix: string, disk: MountedDisk): () => void {
  const path = resolve(prefix);
  if (mounts.has(path)) throw new Error(`a disk is mounted at ${path} already`);
  mounts.set(path, disk);
  return () => void mounts.delete(path);
}

/** Whether stores in a directory are on a `MemoryDisk` of this process, and not in files. */
export const isInMemory = (directory: string): boolean => mountedAt(directory) !== undefined;

/** The disk that a directory is on, if it is not among the files: the disk mounted the fewest levels above. */
export function mountedAt(directory: string): MountedDisk | undefined {
  if (mounts.size === 0) return undefined;
  for (let path = resolve(directory); ; path = dirname(path)) {
    const disk = mounts.get(path);
    if (disk !== undefined || path === dirname(path)) return disk;
  }
}
