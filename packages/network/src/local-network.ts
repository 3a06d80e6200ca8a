import { holdDirectory, temporaryDirectory } from './directory.ts';
import { rollupFile, writeFiles } from './files.ts';
import { getAddresses } from './listen.ts';
import { ManualBlocks, SEEDED_START } from './manual-blocks.ts';
import { MemoryStores } from './memory-stores.ts';
import { LocalNetwork } from './network.ts';
import { checkedMembers, checkOptions, type LocalNetworkOptions } from './options.ts';
import { processOf } from './programs.ts';
import type { Rollup } from './rollups.ts';
import { toEnvironments } from './settings.ts';
import { holdTime } from './shifted-time.ts';

/**
 * Starts a network in this process: a sequencer, a composer, the rollups with a conductor for each, and the other parts in the options,
 * every one of them the process that runs in production. Resolves when all of them are ready.
 *
 * Without a directory, stores are in memory except those of the explorer. Files are so if the system has a file system there
 * (`/dev/shm`). All end with the network.
 *
 * @throws {BadOptions} with one line, before anything is started or written.
 * @throws {Error} with the last line of the part that cannot be started; everything is closed by then.
 * @example
 * ```ts
 * await using network: LocalNetwork = await localNetwork({ rollups: [definedRollup(counter, genesisText)] });
 * await network.stop('composer');
 * await network.start('composer');
 * ```
 */
export async function localNetwork<const Rollups extends readonly Rollup[]>(
  options: LocalNetworkOptions<Rollups>,
): Promise<LocalNetwork<Rollups>> {
  checkOptions(options);
  const { rollups, directory: kept, settings = {}, note = toStandardError, seed } = options;
  const { chainId = 'local-chain', asset = 'nria', blockIntervalMs = 1 } = options;
  const facts = { chainId, asset, blockIntervalMs };
  // Read before there is a directory, so that a genesis which is wrong leaves none behind.
  const files = await Promise.all(rollups.map((rollup) => rollupFile(rollup, facts, kept)));
  const bridges = Object.fromEntries(files.map((file) => [file.name, file.bridges]));
  const { members, opened } = await checkedMembers(options, bridges);
  // Loading takes longer than starting, and several programs load next to each other.
  await Promise.all(members.map(({ program, process }) => process ?? processOf(program)));
  const held: (() => Promise<void> | void)[] = [];
  const close = async () => {
    for (const release of held.splice(0).reverse()) await release();
  };
  try {
    const { time, release: giveBack } = holdTime();
    held.push(giveBack);
    const { directory, release: remove } = kept === undefined ? temporaryDirectory() : holdDirectory(kept);
    held.push(remove);
    const addresses = await getAddresses(members, opened);
    held.push(() => addresses.release());
    const { port } = addresses;
    const environments = toEnvironments({ ...facts, members, directory, port, settings });
    const stores = new MemoryStores({ members, environments, directory, isKept: kept !== undefined });
    held.push(() => stores.release());
    const blocks = options.blocks === 'manual' ? new ManualBlocks(seed !== undefined) : undefined;
    const network = new LocalNetwork<Rollups>({
      ...{ members, addresses, opened, environments, directory, rollups, bridges, stores, time, blocks, close, note },
      ...facts,
    });
    const begin = () => {
      writeFiles({ ...facts, directory, rollups: files, seed });
      return network.launch();
    };
    await (seed === undefined ? begin() : time.at(SEEDED_START, begin));
    return network;
  } catch (error) {
    await close();
    throw error;
  }
}

const toStandardError = (line: string): void => void process.stderr.write(`${line}\n`);
