import { parentPort, workerData } from 'node:worker_threads';
import { type BackgroundData, JsonRpcError, wallClock } from '@switchyard/service';
import type { RpcContext } from '@switchyard/service/json-rpc';
import { ChainStore } from '../chain/store.ts';
import { openDatabaseInThread } from '../database/lmdb.ts';
import { AddressIndex } from '../explorer/index/address-index.ts';
import { explorerMethods } from '../explorer/methods.ts';
import { nextTurn } from '../pause.ts';
import { simulatorMethods } from '../rpc/call/all-methods.ts';
import type { RpcMethods } from '../rpc/deps.ts';
import { translated } from '../rpc/server.ts';
import { rulesAt } from '../simulate/environment.ts';
import { EvmSimulator } from '../simulate/evm-simulator.ts';
import { StoredStates } from '../state/stored.ts';
import type { CallThreadData, ThreadCall, ThreadMessage } from './messages.ts';

/*
 * A thread that answers the calls that take long, on what its node has on disk. Each has the chain as it is when it
 * begins, to its end; they run in turns, as they would in the node.
 */

const ALIVE_MS = 1_000;

const { data } = workerData as BackgroundData<CallThreadData>;
const database = openDatabaseInThread(data.directory);
const index = new AddressIndex(database);
const rules = rulesAt(data.chainId, data.forks);
const { chainId, safe } = data;
const context: RpcContext = {
  from: { peer: '', page: undefined, turn: nextTurn, isGone: () => false, cutOff: () => undefined },
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

function methodsNow(): RpcMethods {
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
  return { ...simulatorMethods({ simulator, pool }), ...explorerMethods({ simulator, index }) };
}

async function answer({ id, method, params }: ThreadCall): Promise<ThreadMessage> {
  try {
    const result = await methodsNow()[method]?.(params, context);
    return { id, text: JSON.stringify(result ?? null) };
  } catch (error) {
    const known = translated(error) ?? error;
    if (!(known instanceof JsonRpcError)) return { id, unforeseen: String(error) };
    const { code, rpcMessage: message } = known;
    return { id, error: { code, message, data: known.data } };
  }
}

let running = 0;
setInterval(() => {
  if (running > 0) parentPort?.postMessage('alive');
}, ALIVE_MS).unref();

parentPort?.on('message', async (call: ThreadCall) => {
  running += 1;
  const answered = await answer(call);
  running -= 1;
  parentPort?.postMessage(answered);
});
