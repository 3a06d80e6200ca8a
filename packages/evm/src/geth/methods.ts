import { quantity } from '@switchyard/protocol/ethereum';
import { errorLine, JsonRpcError, wallClock } from '@switchyard/service';
import type { Read } from '@switchyard/service/input';
import type { ChainReader } from '../chain/chain.ts';
import { invalidParams, limitExceeded, serverError } from '../json/errors.ts';
import { address, blockReference, hash, missingArgument, readArgument, readParams } from '../json/params.ts';
import { committedStateBlock, latestHeader } from '../json/resolve.ts';
import type { RunningPool } from '../pool/deps.ts';
import type { RpcMethods } from '../rpc/deps.ts';
import { nextTimestamp } from '../rules/rules.ts';
import { FairWork } from '../threads/fair-work.ts';
import type { Geth } from './geth.ts';

export interface GethMethodsDeps {
  readonly chain: ChainReader;
  readonly pool: Pick<RunningPool, 'pendingNonce'>;
  readonly queries: Geth;
  readonly turns: FairWork;
  /** Time limit of one question to the execution client. */
  readonly timeoutMs: number;
}

/** Position of the block among the parameters. Every method that is passed on stands here, and no other is. */
const STATE: Readonly<Record<string, number>> = {
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getStorageAt: 2,
  eth_getStorageValues: 1,
  eth_getProof: 2,
};
const CALLS: Readonly<Record<string, number>> = {
  eth_call: 1,
  eth_createAccessList: 1,
  eth_simulateV1: 1,
  debug_traceCall: 1,
  debug_traceBlockByNumber: 0,
};

const MAX_PARAMETERS = 6;

/**
 * Methods about accounts, from the execution client. Blocks are named to it by their numbers, as our own commitments
 * have them: its tags and its head may be ahead.
 */
export function stateOfGeth(deps: GethMethodsDeps): RpcMethods {
  const { chain, pool } = deps;
  return {
    ...passedOn(STATE, deps),

    async eth_getTransactionCount(params) {
      const [account, block = 'latest'] = readParams(params, [address], [blockReference]);
      if (block === 'pending') return quantity(await pool.pendingNonce(account));
      return ask(deps, 'eth_getTransactionCount', [account, quantity(committedStateBlock(chain, block))]);
    },
  };
}

/** Methods that run code, from the execution client. */
export function callsOfGeth(deps: GethMethodsDeps): RpcMethods {
  const { chain } = deps;
  return {
    ...passedOn(CALLS, deps),

    // Without a block, for a transaction that will be in the next one.
    eth_estimateGas(params) {
      const values = positional(params);
      const block = readArgument(values, 1, blockReference) ?? 'pending';
      const passed = replaced(values, 1, quantity(committedStateBlock(chain, block)));
      if (block !== 'pending') return ask(deps, 'eth_estimateGas', passed);
      return ask(deps, 'eth_estimateGas', replaced(passed, 3, { ...nextBlock(chain), ...Object(passed[3]) }));
    },

    debug_traceTransaction(params) {
      const values = positional(params);
      // Geth may have one not committed here.
      if (chain.transaction(required(values, 0, hash)) === undefined) throw serverError('transaction not found');
      return ask(deps, 'debug_traceTransaction', values);
    },

    ...ofCommitted('debug_traceBlockByHash', deps),
    ...ofCommitted('debug_storageRangeAt', deps),
  };
}

/** A method about the block with a hash: geth may have one not committed here. */
function ofCommitted(method: string, deps: GethMethodsDeps): RpcMethods {
  return {
    [method](params) {
      const values = positional(params);
      const block = required(values, 0, hash);
      if (deps.chain.header(block) === undefined) throw serverError(`block ${block} not found`);
      return ask(deps, method, values);
    },
  };
}

function passedOn(positions: Readonly<Record<string, number>>, deps: GethMethodsDeps): RpcMethods {
  const methods = Object.entries(positions).map(([method, position]) => {
    const answer = (params: unknown) => {
      const values = positional(params);
      const block = readArgument(values, position, blockReference) ?? 'latest';
      return ask(deps, method, replaced(values, position, quantity(committedStateBlock(deps.chain, block))));
    };
    return [method, answer] as const;
  });
  return Object.fromEntries(methods);
}

/** One question to the execution client, in its turn. */
export async function ask({ queries, turns, timeoutMs }: GethMethodsDeps, method: string, params: readonly unknown[]) {
  if (turns.fullFor(THIS_NODE) !== undefined) throw limitExceeded('too many calls are waiting, try again');
  return turns
    .run(THIS_NODE, () => queries.call(method, params, { timeoutMs }))
    .catch((error: unknown) => {
      if (error instanceof JsonRpcError) throw error;
      throw serverError(`the execution client does not answer: ${errorLine(error)}`);
    });
}

/** All questions are those of one client. */
const THIS_NODE = '';

/** Questions to the execution client at a time, and how many wait for their turn. */
export function createTurns(atATime: number, maxWaiting: number): FairWork {
  return new FairWork({ atATime, atATimeOfClient: atATime, maxWaiting, maxWaitingOfClient: maxWaiting });
}

/** Values of the next block that override those of the latest, on whose state it is. */
export function nextBlock(chain: Pick<ChainReader, 'heads' | 'header'>): object {
  const { number, timestamp } = latestHeader(chain).header;
  const now = BigInt(Math.floor(wallClock.unixMs() / 1_000));
  return { number: quantity(number + 1n), time: quantity(nextTimestamp(now, timestamp)) };
}

function positional(params: unknown): readonly unknown[] {
  const values = params ?? [];
  if (!Array.isArray(values)) throw invalidParams('non-array args');
  if (values.length > MAX_PARAMETERS) throw invalidParams(`too many arguments, want at most ${MAX_PARAMETERS}`);
  return values;
}

function required<T>(values: readonly unknown[], position: number, read: Read<T>): T {
  const value = readArgument(values, position, read);
  if (value === undefined) throw missingArgument(position);
  return value;
}

function replaced(values: readonly unknown[], position: number, value: unknown): readonly unknown[] {
  const length = Math.max(values.length, position + 1);
  return Array.from({ length }, (_, index) => (index === position ? value : (values[index] ?? null)));
}
