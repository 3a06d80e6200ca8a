import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { InstancePaths } from './home.ts';

/** Hash of each file of an instance; `undefined` for one that is not there. */
export type Fingerprints = ReadonlyMap<string, string | undefined>;

export function fingerprints(paths: InstancePaths): Fingerprints {
  const files = [
    paths.networks,
    paths.base,
    paths.sequencerGenesis,
    paths.rollupGenesis,
    paths.validatorKey,
    paths.composerKey,
  ];
  return new Map(files.map((path) => [path, fingerprint(path)]));
}

/** The files that hold something else now. */
export function changedSince(before: Fingerprints, paths: InstancePaths): string[] {
  return [...fingerprints(paths)].flatMap(([path, now]) => (before.get(path) === now ? [] : [path]));
}

function fingerprint(path: string): string | undefined {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex');
  } catch {
    return undefined;
  }
}
