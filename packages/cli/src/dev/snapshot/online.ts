import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { backupStore, type FoundStore, findStores, SET_ASIDE } from '@switchyard/storage';
import { Failure } from '../../failure.ts';
import type { InstancePaths } from '../instance/home.ts';
import { snapshotTops } from './contents.ts';
import { copyTree } from './copy.ts';
import { type Tree, treeOf } from './tree.ts';

/**
 * Which store is copied before which, so that the copies fit together although time passes between them. A rollup may be
 * behind the sequencer, and the sequencer's state behind its blocks: both catch up. Queue and ledger come last: an older
 * one would send or pay again what the chain has already. A newer one has forgotten what only lost blocks had. The local
 * data-availability layer is after all that was posted to it or read from it. The relayer's state is first: an older one posts
 * again, which readers pass over; a newer one would leave blocks out.
 */
const ORDER = [
  ...['relayer-state', 'evm', 'state', 'blocks', 'signed-headers'],
  ...['composer-queue', 'faucet-ledger', 'da-blocks'],
];

/** Copies the state of an instance whose services keep running. @throws {Failure} when some of it cannot be copied so. */
export async function copyOnline(paths: InstancePaths, to: string, signal: AbortSignal): Promise<Tree> {
  const stores = inOrder(findStores(paths.data));
  requireKnown(paths, stores);
  const outside = snapshotTops(paths).filter((top) => top !== relative(paths.directory, paths.data));
  await copyTree(paths.directory, to, treeOf(paths.directory, outside), signal);
  mkdirSync(join(to, 'data'), { mode: 0o700 });
  for (const { directory } of stores) {
    signal.throwIfAborted();
    await backupStore(directory, join(to, relative(paths.directory, directory)));
  }
  return treeOf(to, snapshotTops(paths));
}

/** State of the sequencer, which has its blocks or headers beside it, comes after that of the rollups, which follow it. */
function inOrder(stores: readonly FoundStore[]): FoundStore[] {
  const ofSequencer = new Set(
    stores
      .filter(({ kind }) => kind === 'blocks' || kind === 'signed-headers')
      .map(({ directory }) => dirname(directory)),
  );
  const rank = ({ directory, kind }: FoundStore): number =>
    2 * ORDER.indexOf(kind ?? '') + (ofSequencer.has(dirname(directory)) ? 1 : 0);
  return [...stores].sort((a, b) => rank(a) - rank(b));
}

/** @throws {Failure} for anything in `data/` that is not a store of ours, such as that of CometBFT or geth. */
function requireKnown(paths: InstancePaths, stores: readonly FoundStore[]): void {
  const known = new Set(
    stores.flatMap(({ directory, kind }) => {
      if (kind === undefined)
        throw new Failure(`${directory}: it does not say what it is: it cannot be copied while it is in use`);
      return [directory];
    }),
  );
  const visit = (directory: string): void => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = join(directory, entry.name);
      if (known.has(path) || SET_ASIDE.test(entry.name)) continue;
      if (entry.isDirectory()) visit(path);
      else if (basename(path) !== 'lock') {
        throw new Failure(
          `${path}: is in no store of ours, so it cannot be copied while it is in use: save without --online, which stops the services for the copy`,
        );
      }
    }
  };
  if (existsSync(paths.data)) visit(paths.data);
}
