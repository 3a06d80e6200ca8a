import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { wallDate } from '@switchyard/service';
import { Failure } from '@switchyard/service/failure';
import { backupStore, type FoundStore, findStores, isStoreKind, SET_ASIDE, STORE_KINDS } from '@switchyard/storage';
import { VERSION } from '../../version.ts';
import { systemReason, writeNewFile } from '../files/files.ts';
import type { InstancePaths } from '../instance/home.ts';
import { readInstance, requireInstance } from '../instance/instance.ts';
import { currentRun } from '../instance/run-file.ts';
import { getStatus } from '../status/status.ts';
import { verifyAll } from '../stores/verify.ts';
import { requireStateInside, snapshotTops } from './contents.ts';
import { buildTree, copyTree, hashOfFile, requireSpace, type Tree } from './copy.ts';
import { cleanUpLeftovers, replacedSnapshot, unfinishedSnapshot } from './leftovers.ts';
import { getSnapshots, type Manifest, newManifest, snapshotDirectory } from './manifest.ts';
import { type ConnectTool, ResumeFailed, whileQuiet } from './quiet.ts';

export interface SaveOptions {
  readonly paths: InstancePaths;
  readonly name: string;
  /** Counts when nothing runs. */
  readonly network: string;
  readonly env: NodeJS.ProcessEnv;
  /** Takes the place of a snapshot of this name. */
  readonly replace: boolean;
  /** Copies each store while the services keep running, instead of stopping them. */
  readonly online?: boolean;
  readonly connect: ConnectTool;
  readonly signal: AbortSignal;
  readonly onNotice?: (line: string) => void;
}

/**
 * Copies the state of an instance and the files it belongs to into `snapshots/NAME`, which appears when it is complete.
 *
 * The sequencer's validator key is in it, with mode 0600 as the original: the genesis names its owner, so the state is
 * of no use without it.
 *
 * @returns with how long the services were down for it.
 * @throws {Failure} with nothing left behind; a network that ran runs again.
 */
export async function saveSnapshot(options: SaveOptions) {
  const { paths, name, env, signal, onNotice = () => {} } = options;
  requireInstance(paths);
  const directory = snapshotDirectory(paths, name);
  for (const line of cleanUpLeftovers(paths)) onNotice(line);
  if (existsSync(directory) && !options.replace) {
    throw new Failure(`snapshot ${name} exists: choose another name, or replace it with --force`);
  }
  const network = currentRun(paths)?.network ?? options.network;
  const instance = readInstance(paths, network, env);
  requireStateInside(instance);

  const temporary = unfinishedSnapshot(paths, name);
  try {
    mkdirSync(getSnapshots(paths), { recursive: true, mode: 0o700 });
    mkdirSync(temporary, { mode: 0o700 });
    await requireSpace(paths.directory, buildTree(paths.directory, snapshotTops(paths)).storedBytes);
    const heights = await getHeights(paths, env);
    const { tree, pausedMs, afterwards } = options.online
      ? { tree: await copyOnline(paths, temporary, signal), pausedMs: 0, afterwards: undefined }
      : await copyWhileQuiet(options, network, temporary);
    const stores = verifiedStores(temporary);
    for (const path of tree.skipped) onNotice(`${path}: left out: it is no file, directory or link`);
    const files = [];
    for (const file of tree.files)
      files.push({ ...file, sha256: await hashOfFile(join(temporary, file.path), signal) });
    const manifest = newManifest({
      name,
      createdAt: wallDate().toISOString(),
      version: VERSION,
      network,
      chainId: instance.network.sequencerChainId,
      rollupName: instance.network.rollupName,
      heights,
      services: instance.network.services.map((service) => ({ name: service.name, version: service.version })),
      bytes: sum(files),
      online: options.online === true,
      stores,
      directories: tree.directories,
      links: tree.links,
      files,
    });
    writeNewFile(join(temporary, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`, 0o600);
    const old = replacedSnapshot(paths, name);
    if (existsSync(directory)) renameSync(directory, old);
    renameSync(temporary, directory);
    rmSync(old, { recursive: true, force: true });
    if (afterwards !== undefined) throw new Failure(`snapshot ${name} is saved, but ${afterwards.message}`);
    return { directory, manifest, pausedMs };
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    if (error instanceof Failure || signal.aborted) throw error;
    throw new Failure(`snapshot ${name}: cannot be saved: ${systemReason(error)}`, error);
  }
}

/** A copy is good even when the network does not come back after it; `afterwards` reports that. */
async function copyWhileQuiet({ paths, connect, signal }: SaveOptions, network: string, to: string) {
  let copied: Tree | undefined;
  const copy = async () => {
    const tree = buildTree(paths.directory, snapshotTops(paths));
    await copyTree(paths.directory, to, tree, signal);
    copied = tree;
    return tree;
  };
  try {
    const { value: tree, pausedMs } = await whileQuiet(paths, network, connect, copy);
    return { tree, pausedMs, afterwards: undefined };
  } catch (error) {
    if (!(error instanceof ResumeFailed) || copied === undefined) throw error;
    return { tree: copied, pausedMs: 0, afterwards: error };
  }
}

/** A snapshot of damaged data would be found out when it is needed. @throws {Failure} naming the first problem. */
function verifiedStores(copy: string): Manifest['stores'] {
  const data = join(copy, 'data');
  if (!existsSync(data)) return [];
  return verifyAll(data).map(({ directory, kind, problems: [problem] }) => {
    const path = relative(copy, directory);
    if (problem === undefined) return { path, kind, format: formatOfKind(kind) };
    throw new Failure(`${path}: ${problem.what}: nothing was saved; look at it with \`switchyard verify\``);
  });
}

const formatOfKind = (kind: string): string => (isStoreKind(kind) ? STORE_KINDS[kind].format : kind);

const sum = (files: readonly { readonly bytes: number }[]) => files.reduce((total, { bytes }) => total + bytes, 0);

/** Heights that the nodes report. A silent node is no reason not to save. */
async function getHeights(paths: InstancePaths, env: NodeJS.ProcessEnv): Promise<Manifest['heights']> {
  if (currentRun(paths) === undefined) return {};
  const { sequencerHeight: sequencer, rollup } = await getStatus(paths, env);
  return { sequencer, rollup: rollup?.height };
}

/**
 * Which store is copied before which, so that the copies fit together although time passes between them. A rollup may be
 * behind the sequencer, and the sequencer's state behind its blocks: both catch up. Queue and ledger come last: an older
 * one would repeat payments and messages that the chain has already. A newer one has forgotten what only lost blocks had. The local
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
  await copyTree(paths.directory, to, buildTree(paths.directory, outside), signal);
  mkdirSync(join(to, 'data'), { mode: 0o700 });
  for (const { directory } of stores) {
    signal.throwIfAborted();
    await backupStore(directory, join(to, relative(paths.directory, directory)));
  }
  return buildTree(to, snapshotTops(paths));
}

/** State of the sequencer, which has its blocks or headers next to it, comes after that of the rollups, which follow it. */
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
