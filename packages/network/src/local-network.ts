import { bridgeAccountOf } from './accounts/bridges.ts';
import { holdDirectory, temporaryDirectory } from './directory.ts';
import { rollupFiles, writeFiles } from './files.ts';
import { addressesOf } from './listen.ts';
import { ManualBlocks } from './manual-blocks.ts';
import { MemoryStores } from './memory-stores.ts';
import { LocalNetwork } from './network.ts';
import { checkedMembers, type LocalNetworkOptions } from './options.ts';
import { processOf } from './programs.ts';
import type { Rollup } from './rollups.ts';
import { environmentsOf } from './settings.ts';
import { holdTime } from './shifted-time.ts';

const DEFAULTS = { chainId: 'local-chain', asset: 'nria', blockIntervalMs: 1 } as const;

/**
 * Starts a network in this process: a sequencer, a composer, the rollups with a conductor for each, and what else the options name,
 * every one of them the process that runs in production. Resolves when all of them are ready.
 *
 * Without a directory, stores are in memory except those of the explorer. Files are so where the system has a file system there
 * (`/dev/shm`). All end with the network.
 *
 * @throws {BadOptions} with one line, before anything is started or written.
 * @throws {Error} with the last line of the part that cannot be started; everything is closed by then.
 */
export async function localNetwork<const Rollups extends readonly Rollup[]>(
  options: LocalNetworkOptions<Rollups>,
): Promise<LocalNetwork<Rollups>> {
  const { members, opened } = await checkedMembers(options);
  // Loading takes longer than starting, and several programs load beside each other.
  await Promise.all(members.map(({ acts, process }) => process ?? processOf(acts)));
  const { rollups, directory: kept, settings = {}, note = toStandardError } = options;
  const facts = { ...DEFAULTS, ...givenOf(options), rollups };
  const bridges = new Map(rollups.map(({ name }) => [name, bridgeAccountOf(name)]));
  // Read before there is a directory, so that a genesis which is wrong leaves none behind.
  const genesisFiles = await rollupFiles({ ...facts, bridges }, kept);
  const held: (() => Promise<void> | void)[] = [];
  const close = async () => {
    for (const release of held.splice(0).reverse()) await release();
  };
  try {
    const { time, release: giveBack } = holdTime();
    held.push(giveBack);
    const { directory, release: remove } = kept === undefined ? temporaryDirectory() : holdDirectory(kept);
    held.push(remove);
    const addresses = await addressesOf(members, opened);
    held.push(() => addresses.release());
    const { port } = addresses;
    const environments = environmentsOf({ ...facts, members, directory, port, settings });
    writeFiles({ ...facts, directory, bridges }, genesisFiles);
    const stores = new MemoryStores({ members, environments, directory, isKept: kept !== undefined });
    held.push(() => stores.release());
    const blocks = options.blocks === 'manual' ? new ManualBlocks() : undefined;
    const composed = {
      members,
      addresses,
      opened,
      environments,
      directory,
      bridges,
      stores,
      time,
      blocks,
      close,
      note,
      ...facts,
    };
    const network = new LocalNetwork<Rollups>(composed);
    await network.launch();
    return network;
  } catch (error) {
    await close();
    throw error;
  }
}

const toStandardError = (line: string): void => void process.stderr.write(`${line}\n`);

function givenOf(options: LocalNetworkOptions) {
  const { chainId, asset, blockIntervalMs } = options;
  return {
    ...(chainId !== undefined && { chainId }),
    ...(asset !== undefined && { asset }),
    ...(blockIntervalMs !== undefined && { blockIntervalMs }),
  };
}
