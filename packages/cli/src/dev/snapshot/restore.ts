import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { wallClock } from '@switchyard/service';
import { Failure } from '@switchyard/service/failure';
import { didYouMean } from '@switchyard/service/settings';
import { VERSION } from '../../version.ts';
import { systemReason } from '../files/files.ts';
import { type InstancePaths, instanceArguments } from '../instance/home.ts';
import { readInstance, requireInstance } from '../instance/instance.ts';
import { currentRun } from '../instance/run-file.ts';
import { isSetting, requireStateInside, snapshotNames, snapshotTops } from './contents.ts';
import { buildTree, copyTree, hashOfFile, requireSpace } from './copy.ts';
import { cleanUpLeftovers, restoreDirectory } from './leftovers.ts';
import { getSnapshots, type Manifest, readManifest, snapshotDirectory } from './manifest.ts';
import { ResumeFailed, whileQuiet } from './quiet.ts';
import type { SaveOptions } from './save.ts';
import { type Swap, swapAll, undoSwap } from './swap.ts';

export interface RestoreOptions extends Omit<SaveOptions, 'network' | 'replace' | 'online'> {
  /** Also when it belongs to another chain or rollup; its settings come with it. */
  readonly force: boolean;
  /** Puts back networks-config.toml and base-config.toml too. */
  readonly settings: boolean;
}

/** The directory of a snapshot that exists. @throws {Failure} */
export function requireSnapshot(paths: InstancePaths, name: string): string {
  requireInstance(paths);
  const directory = snapshotDirectory(paths, name);
  if (existsSync(directory)) return directory;
  const names = snapshotNames(getSnapshots(paths));
  throw new Failure(
    `no snapshot ${name} of instance ${paths.name}, there is ${names.join(', ') || 'none'}${didYouMean(name, names)}`,
  );
}

/**
 * Puts the state of a snapshot in place of the present one. Everything is checked and copied while the network still
 * runs; then files change places, and the present state is kept until the services are up again.
 *
 * @throws {Failure} with the present state in place; when only the services did not start again, the message names the directory of the old one.
 */
export async function restoreSnapshot(options: RestoreOptions) {
  const { paths, name, signal, onNotice = () => {} } = options;
  const directory = requireSnapshot(paths, name);
  for (const line of cleanUpLeftovers(paths)) onNotice(line);
  const manifest = readManifest(directory);
  if (manifest.version !== VERSION) onNotice(`Switchyard ${manifest.version} made this snapshot, this is ${VERSION}`);
  requireFit(options, manifest);
  const withSettings = options.settings || options.force;
  const differing = manifest.files.filter(({ path }) => isSetting(path) && differs(paths, directory, path));
  const run = currentRun(paths);
  if (run !== undefined && withSettings && differing.length > 0) {
    throw new Failure(
      `${differing.map(({ path }) => path).join(', ')}: settings count from the start: stop the network with \`switchyard dev stop${instanceArguments(paths)}\` before they are restored`,
    );
  }
  await requireWhole(directory, manifest, signal);

  const work = restoreDirectory(paths);
  const [next, aside] = [join(work, 'next'), join(work, 'aside')];
  const cleanUp = () => rmSync(work, { recursive: true, force: true });
  const files = manifest.files.filter(({ path }) => withSettings || !isSetting(path));
  try {
    mkdirSync(next, { recursive: true, mode: 0o700 });
    await requireSpace(paths.directory, buildTree(directory, snapshotTops(paths)).storedBytes);
    await copyTree(directory, next, { ...manifest, files }, signal);
    const { pausedMs } = await whileQuiet(paths, manifest.network, options.connect, () => {
      signal.throwIfAborted();
      swapAll(swapsFor(paths, next, manifest, files), aside);
    });
    cleanUp();
    // Settings files that differ from the snapshot's stay unchanged.
    const settingsKept = withSettings ? [] : differing.map(({ path }) => path);
    return { manifest, pausedMs, settingsKept };
  } catch (error) {
    if (error instanceof ResumeFailed) {
      const kept = join(paths.directory, `before-restore-${wallClock.unixMs()}`);
      renameSync(aside, kept);
      cleanUp();
      throw new Failure(`snapshot ${name} is restored, but ${error.message}; the state before it is in ${kept}`);
    }
    try {
      undoSwap(aside);
    } catch (undo) {
      // Nothing of it may be removed now.
      throw new Failure(
        `snapshot ${name}: cannot be restored: ${systemReason(error)}; the present state cannot be put back either: ${systemReason(undo)}: it is in ${aside}, and the next \`switchyard dev snapshot\` tries again`,
      );
    }
    cleanUp();
    if (error instanceof Failure || signal.aborted) throw error;
    const reason = `cannot be restored, the present state stays: ${systemReason(error)}`;
    throw new Failure(`snapshot ${name}: ${reason}`, error);
  }
}

/** @throws {Failure} when the state belongs to a chain or rollup other than that of the instance. */
function requireFit({ paths, name, env, force }: RestoreOptions, manifest: Manifest): void {
  if (force) return;
  const instance = readInstance(paths, currentRun(paths)?.network ?? manifest.network, env);
  requireStateInside(instance);
  const { sequencerChainId: chainId, rollupName } = instance.network;
  if (manifest.chainId === chainId && manifest.rollupName === rollupName) return;
  throw new Failure(
    `snapshot ${name} is of chain ${manifest.chainId} and rollup ${manifest.rollupName}, instance ${paths.name} is set up for ${chainId} and ${rollupName}: --force restores it together with its settings`,
  );
}

/** @throws {Failure} naming the first file that is absent or changed since. */
async function requireWhole(directory: string, manifest: Manifest, signal: AbortSignal): Promise<void> {
  for (const { path, sha256 } of manifest.files) {
    const file = join(directory, path);
    const got = existsSync(file) ? await hashOfFile(file, signal) : 'absent';
    if (got !== sha256)
      throw new Failure(
        `${file}: ${got === 'absent' ? 'is absent' : 'was changed since it was saved'}: this snapshot cannot be used`,
      );
  }
}

/** `data` changes places as a whole; of `config/` only the files that the snapshot has. */
function swapsFor(paths: InstancePaths, next: string, manifest: Manifest, files: Manifest['files']): Swap[] {
  const inData = (path: string) => path === 'data' || path.startsWith('data/');
  const single = [...files, ...manifest.links].map(({ path }) => path).filter((path) => !inData(path));
  for (const { path } of manifest.directories)
    if (!inData(path)) mkdirSync(join(paths.directory, path), { recursive: true });
  mkdirSync(join(next, 'data'), { recursive: true });
  return [...single, 'data'].map((path) => ({ present: join(paths.directory, path), next: join(next, path) }));
}

function differs(paths: InstancePaths, directory: string, path: string): boolean {
  const [present, saved] = [join(paths.directory, path), join(directory, path)];
  if (!existsSync(present) || !existsSync(saved)) return true;
  return !readFileSync(present).equals(readFileSync(saved));
}
