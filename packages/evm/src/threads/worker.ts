import { workerData } from 'node:worker_threads';
import { type BackgroundData, wallClock } from '@switchyard/service';
import { openDatabaseInThread } from '../database/lmdb.ts';
import { type Rules, rulesAt } from '../simulate/environment.ts';
import { EvmSimulator } from '../simulate/evm-simulator.ts';
import { answerCalls, storedMethods } from './answering.ts';
import type { CallThreadData } from './messages.ts';

/* A thread that answers the calls that take long, on the node's data on disk. */

const { data } = workerData as BackgroundData<CallThreadData>;
const { chainId, forks, archiveGenesis } = data;
const database = openDatabaseInThread(data.directory);
const rules = archiveGenesis === undefined ? rulesAt(chainId, forks) : await rulesOfArchive(archiveGenesis);
const now = () => BigInt(Math.floor(wallClock.unixMs() / 1_000));

async function rulesOfArchive(genesis: string): Promise<Rules> {
  const { parseArchiveGenesis } = await import('../genesis/archive-genesis.ts');
  return parseArchiveGenesis(genesis, 'the genesis of the archive').rules;
}

answerCalls(() => {
  database.refresh();
  return storedMethods(database, data, (deps) => new EvmSimulator(data.simulator, { ...deps, rules, now }));
});
