import { parentPort } from 'node:worker_threads';
import type { StateReader } from '@switchyard/evm-machine/state';
import { JsonRpcError, systemClock } from '@switchyard/service';
import { JsonBytes, type RpcContext } from '@switchyard/service/json-rpc';
import type { ChainReader } from '../chain/chain.ts';
import { ChainStore } from '../chain/store.ts';
import type { Database } from '../database/database.ts';
import { AddressIndex } from '../explorer/index/address-index.ts';
import { explorerMethods } from '../explorer/methods.ts';
import { simulatorMethods } from '../rpc/call/all-methods.ts';
import type { RpcMethods } from '../rpc/deps.ts';
import { feeHistories } from '../rpc/fee-methods.ts';
import { logQueries } from '../rpc/log-methods.ts';
import type { LogBounds } from '../rpc/log-query.ts';
import { translated } from '../rpc/server.ts';
import type { EvmSimulator, SimulatorDeps } from '../simulate/evm-simulator.ts';
import { StoredStates } from '../state/stored.ts';
import type { LogLine, ThreadAnswer, ThreadCall } from './messages.ts';

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

type ChainDeps = Pick<SimulatorDeps, 'chain' | 'stateRoot' | 'slotsEver'>;

/** Methods on the chain as a database has it now. @param seen The state after a block as calls see it. */
export function storedMethods(
  database: Database,
  { chainId, safe, bounds }: { readonly chainId: bigint; readonly safe: 'soft' | 'firm'; readonly bounds: LogBounds },
  simulatorOn: (deps: ChainDeps) => EvmSimulator,
  seen: (number: bigint, state: StateReader) => StateReader = (_, state) => state,
): RpcMethods {
  const states = new StoredStates(database);
  const noProofs = (): never => {
    throw new Error('a thread for calls makes no proofs');
  };
  const source = { at: (number: bigint) => seen(number, states.at(number)), proof: noProofs };
  const simulator = simulatorOn({
    chain: new ChainStore(database, source, { chainId, safe, indexers: [] }),
    stateRoot: (block, changes) => states.rootWith(block, changes),
    slotsEver: (address) => states.slotsEver(address),
  });
  const { chain }: { readonly chain: ChainReader } = simulator.deps;
  return {
    ...simulatorMethods({ simulator, pool }),
    ...explorerMethods({ simulator, index: new AddressIndex(database) }),
    ...logQueries({ chain, clock: systemClock, bounds }),
    ...feeHistories({ chain, clock: systemClock }),
  };
}

/**
 * Answers the calls of the node that has this thread: one at a time, each to its end, with the state of the chain when the call
 * begins.
 *
 * @param methodsNow Called before each with the node's attachments.
 * @param lines Takes the lines for its log.
 */
export function answerCalls(methodsNow: (news: unknown) => RpcMethods, lines?: () => readonly LogLine[]): void {
  const answer = async ({ method, params, news }: ThreadCall): Promise<ThreadAnswer> => {
    try {
      const result = await methodsNow(news)[method]?.(params, context);
      return { pieces: JsonBytes.piecesOf(result) };
    } catch (error) {
      const known = translated(error) ?? error;
      if (!(known instanceof JsonRpcError)) return { unforeseen: String(error) };
      const { code, rpcMessage: message } = known;
      return { error: { code, message, data: known.data } };
    }
  };
  parentPort?.on('message', async (call: ThreadCall) => {
    const answered = await answer(call);
    const moved = 'pieces' in answered ? answered.pieces.map(({ buffer }) => buffer as ArrayBuffer) : [];
    parentPort?.postMessage({ ...answered, lines: lines?.() }, moved);
  });
}
