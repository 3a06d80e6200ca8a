import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, usage } from '@switchyard/service/failure';
import { bool as flag, Input, ifValid, list, object, optional, type Read, text } from '@switchyard/service/input';
import { parseJson, readText } from '../files/files.ts';
import type { InstancePaths } from '../instance/home.ts';

/** Raised when a snapshot made by this version could not be restored by an older one. */
const FORMAT = 1;

/** `manifest.json`: the origin of a snapshot, and every file in it. */
export type Manifest = Readonly<ReturnType<typeof manifest>> & { readonly format: typeof FORMAT };

export function newManifest(fields: Omit<Manifest, 'format'>): Manifest {
  return { format: FORMAT, ...fields };
}

export const getSnapshots = (paths: InstancePaths): string => join(paths.directory, 'snapshots');

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,49}$/;

/** Directory of a snapshot, whether it exists or not. @throws {Failure} when the name cannot be one. */
export function snapshotDirectory(paths: InstancePaths, name: string): string {
  if (NAME.test(name)) return join(getSnapshots(paths), name);
  throw usage(
    `snapshot name: expected letters, digits, . _ - and a letter or digit first, at most 50, got ${JSON.stringify(name.slice(0, 80))}`,
  );
}

/** @throws {Failure} when there is none, or this version cannot restore it. */
export function readManifest(directory: string): Manifest {
  const path = join(directory, 'manifest.json');
  if (!existsSync(path)) throw new Failure(`${path}: is absent: this is no complete snapshot`);
  const document = new Input(parseJson(readText(path), path), '');
  const format = ifValid((input) => input.at('format').integer())(document);
  if (format !== undefined && format > FORMAT) {
    throw new Failure(`${path}: format ${format}: a newer version of Switchyard made it, this one reads ${FORMAT}`);
  }
  const fields = format === FORMAT ? ifValid(manifest)(document) : undefined;
  if (fields === undefined) throw new Failure(`${path}: not a manifest of format ${FORMAT}`);
  for (const { path: inside } of [...fields.files, ...fields.links, ...fields.directories]) {
    // It will be written to: never outside of the instance, regardless of the snapshot's maker.
    if (inside.startsWith('/') || inside.split('/').includes('..')) {
      throw new Failure(`${path}: ${JSON.stringify(inside)} is outside of the instance`);
    }
  }
  return newManifest(fields);
}

const number: Read<number> = (input) => input.integer();

const manifest = object({
  name: text,
  /** RFC 3339. */
  createdAt: text,
  /** Version of Switchyard that made it. */
  version: text,
  network: text,
  chainId: text,
  rollupName: text,
  /** Heights right before the nodes were stopped for the copy; unknown when nothing ran. */
  heights: object({ sequencer: optional(number), rollup: optional(number) }),
  services: list(object({ name: text, version: text })),
  bytes: number,
  /** Whether the services kept running. */
  online: flag,
  /** Every store in it, verified when it was saved. */
  stores: list(object({ path: text, kind: text, format: text })),
  /** Parents before children. */
  directories: list(object({ path: text, mode: number })),
  links: list(object({ path: text, target: text })),
  /** Paths are relative to the instance, with `/`. */
  files: list(object({ path: text, bytes: number, mode: number, sha256: text })),
});
