import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '@switchyard/service/failure';
import { attempt } from '../files/files.ts';
import type { InstancePaths } from '../instance/home.ts';
import { requireInstance } from '../instance/instance.ts';
import { snapshotNames } from './contents.ts';
import { getSnapshots, type Manifest, readManifest } from './manifest.ts';
import { requireSnapshot } from './restore.ts';

export interface Listed {
  readonly name: string;
  /** Absent when it cannot be read; then `problem` has the reason. */
  readonly manifest?: Omit<Manifest, 'files' | 'directories' | 'links'> & { readonly fileCount: number };
  readonly problem?: string;
}

/** All snapshots of an instance, oldest first; unreadable ones last. */
export function listSnapshots(paths: InstancePaths): Listed[] {
  requireInstance(paths);
  const made = ({ manifest }: Listed) => manifest?.createdAt ?? '~';
  return snapshotNames(getSnapshots(paths))
    .map((name) => listed(join(getSnapshots(paths), name), name))
    .sort((a, b) => (made(a) < made(b) ? -1 : 1));
}

function listed(directory: string, name: string): Listed {
  try {
    const { files, directories: _directories, links: _links, ...manifest } = readManifest(directory);
    return { name, manifest: { ...manifest, fileCount: files.length } };
  } catch (error) {
    if (error instanceof Failure) return { name, problem: error.message };
    throw error;
  }
}

/** @throws {Failure} when there is none of this name. */
export function removeSnapshot(paths: InstancePaths, name: string): string {
  const directory = requireSnapshot(paths, name);
  attempt(directory, 'removed', () => rmSync(directory, { recursive: true }));
  return directory;
}
