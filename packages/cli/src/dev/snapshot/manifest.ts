import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, usage } from '../../failure.ts';
import { parseJson, readText } from '../files/files.ts';
import { isTable } from '../files/toml.ts';
import type { InstancePaths } from '../instance/home.ts';

/** Raised when a snapshot made by this version could not be restored by an older one. */
const FORMAT = 1;

export interface SnapshotFile {
  /** Relative to the instance, with `/`. */
  readonly path: string;
  readonly bytes: number;
  readonly mode: number;
  readonly sha256: string;
}

/** `manifest.json`: what a snapshot is of, and every file in it. */
export interface Manifest {
  readonly format: typeof FORMAT;
  readonly name: string;
  /** RFC 3339. */
  readonly createdAt: string;
  /** Version of Switchyard that made it. */
  readonly version: string;
  readonly network: string;
  readonly chainId: string;
  readonly rollupName: string;
  /** Heights right before the nodes were stopped for the copy; unknown when nothing ran. */
  readonly heights: { readonly sequencer?: number; readonly rollup?: number };
  readonly services: readonly { readonly name: string; readonly version: string }[];
  readonly bytes: number;
  /** Whether the services went on meanwhile. Absent in manifests of before that was possible. */
  readonly online?: boolean;
  /** Every store in it, verified when it was saved. */
  readonly stores?: readonly { readonly path: string; readonly kind: string; readonly format: string }[];
  /** Parents before children. */
  readonly directories: readonly { readonly path: string; readonly mode: number }[];
  readonly links: readonly { readonly path: string; readonly target: string }[];
  readonly files: readonly SnapshotFile[];
}

export function newManifest(fields: Omit<Manifest, 'format'>): Manifest {
  return { format: FORMAT, ...fields };
}

export const snapshotsOf = (paths: InstancePaths): string => join(paths.directory, 'snapshots');

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,49}$/;

/** Directory of a snapshot, whether it exists or not. @throws {Failure} when the name cannot be one. */
export function snapshotDirectory(paths: InstancePaths, name: string): string {
  if (NAME.test(name)) return join(snapshotsOf(paths), name);
  throw usage(
    `snapshot name: expected letters, digits, . _ - and a letter or digit first, at most 50, got ${JSON.stringify(name.slice(0, 80))}`,
  );
}

/** @throws {Failure} when there is none, or it is not one that this version restores. */
export function readManifest(directory: string): Manifest {
  const path = join(directory, 'manifest.json');
  if (!existsSync(path)) throw new Failure(`${path}: is absent: this is no complete snapshot`);
  const value = parseJson(readText(path), path);
  if (isTable(value) && typeof value.format === 'number' && value.format > FORMAT) {
    throw new Failure(
      `${path}: format ${value.format}: a newer version of Switchyard made it, this one reads ${FORMAT}`,
    );
  }
  if (!isManifest(value)) throw new Failure(`${path}: not a manifest of format ${FORMAT}`);
  for (const { path: inside } of [...value.files, ...value.links, ...value.directories]) {
    // It will be written to: never outside of the instance, whoever made the snapshot.
    if (inside.startsWith('/') || inside.split('/').includes('..')) {
      throw new Failure(`${path}: ${JSON.stringify(inside)} is outside of the instance`);
    }
  }
  return value;
}

function isManifest(value: unknown): value is Manifest {
  if (!isTable(value) || value.format !== FORMAT) return false;
  const texts = ['name', 'createdAt', 'version', 'network', 'chainId', 'rollupName'];
  const { files, links, directories, heights, services, bytes } = value;
  return (
    texts.every((key) => typeof value[key] === 'string') &&
    typeof bytes === 'number' &&
    isTable(heights) &&
    [heights.sequencer, heights.rollup].every((height) => height === undefined || typeof height === 'number') &&
    all(services, { name: 'string', version: 'string' }) &&
    all(directories, { path: 'string', mode: 'number' }) &&
    all(links, { path: 'string', target: 'string' }) &&
    all(files, { path: 'string', bytes: 'number', mode: 'number', sha256: 'string' })
  );
}

function all(list: unknown, shape: Readonly<Record<string, 'string' | 'number'>>): boolean {
  return (
    Array.isArray(list) &&
    list.every(
      (item: unknown) => isTable(item) && Object.entries(shape).every(([key, type]) => typeof item[key] === type),
    )
  );
}
