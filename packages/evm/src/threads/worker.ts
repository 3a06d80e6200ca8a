import { parentPort, workerData } from 'node:worker_threads';
import { type BackgroundData, JsonRpcError, systemClock, wallClock } from '@switchyard/service';
import { jsonPieces, type RpcContext } from '@switchyard/service/json-rpc';
import { ChainStore } from '../chain/store.ts';
import { openDatabaseInThread } from '../database/lmdb.ts';
import { AddressIndex } from '../explorer/index/address-index.ts';
import { explorerMethods } from '../explorer/methods.ts';
import { simulatorMethods } from '../rpc/call/all-methods.ts';
import type { RpcMethods } from '../rpc/deps.ts';
import { feeHistories } from '../rpc/fee-methods.ts';
import { logQueries } from '../rpc/log-methods.ts';
import { translated } from '../rpc/server.ts';
import { type Rules, rulesAt } from '../simulate/environment.ts';
import { EvmSimulator } from '../simulate/evm-simulator.ts';
import { StoredStates } from '../state/stored.ts';
import type { CallThreadData, ThreadAnswer, ThreadCall } from './messages.ts';

/*
 * A thread that answers the calls that take long, on what its node has on disk: one at a time, each to its end, with the
 * chain as it is when it begins.
 */

const { data } = workerData as BackgroundData<CallThreadData>;
const database = openDatabaseInThread(data.directory);
const index = new AddressIndex(database);
const { chainId, forks, archiveGenesis, safe, bounds } = data;
const rules = archiveGenesis === undefined ? rulesAt(chainId, forks) : await rulesOfArchive(archiveGenesis);
const context: RpcContext = {
  from: { peer: '', page: undefined, turn: async () => {}, isGone: () => false, cutOff: () => undefined },
  subscriber: undefined,
  isOver: () => false,
  afterAnswer: () => undefined,
};
/** No movable method needs the answers of a pool. */
const pool = {
  get: () => undefined,
  nextNonce: (): never => {
    throw new Error('a thread for calls has no pool');
  },
};

async function rulesOfArchive(genesis: string): Promise<Rules> {
  const { parseArchiveGenesis } = await import('../explorer/archive/genesis.ts');
  return parseArchiveGenesis(genesis, 'the genesis of the archive').rules;
}

function methodsNow(): RpcMethods {
  database.refresh();
  const states = new StoredStates(database);
  const noProofs = (): never => {
    throw new Error('a thread for calls makes no proofs');
  };
  const chain = new ChainStore(
    database,
    { at: (number) => states.at(number), proof: noProofs },
    { chainId, safe, indexers: [] },
  );
  const simulator = new EvmSimulator(data.simulator, {
    ...{ chain, rules },
    stateRoot: (block, changes) => states.rootWith(block, changes),
    slotsEver: (address) => states.slotsEver(address),
    now: () => BigInt(Math.floor(wallClock.unixMs() / 1_000)),
  });
  return {
    ...simulatorMethods({ simulator, pool }),
    ...explorerMethods({ simulator, index }),
    ...logQueries({ chain, clock: systemClock, bounds }),
    ...feeHistories({ chain, clock: systemClock }),
  };
}

async function answer({ method, params }: ThreadCall): Promise<ThreadAnswer> {
  try {
    const result = await methodsNow()[method]?.(params, context);
    return { pieces: jsonPieces(result) };
  } catch (error) {
    const known = translated(error) ?? error;
    if (!(known instanceof JsonRpcError)) return { unforeseen: String(error) };
    const { code, rpcMessage: message } = known;
    return { error: { code, message, data: known.data } };
  }
}

parentPort?.on('message', async (call: ThreadCall) => {
  const answered = await answer(call);
  const moved = 'pieces' in answered ? answered.pieces.map(({ buffer }) => buffer as ArrayBuffer) : [];
  parentPort?.postMessage(answered, moved);
});
