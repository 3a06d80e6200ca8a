import { errorLine, JsonRpcError } from '@switchyard/service';
import type { ChainReader } from '../chain/chain.ts';
import type { RunningPool } from '../pool/deps.ts';
import type { RpcMethods } from '../rpc/deps.ts';
import { CODES, invalidArgument, invalidParams, limitExceeded, rpcError, serverError } from '../rpc/errors.ts';
import { address, blockReference, hash, Malformed, type Parse, readParams } from '../rpc/params.ts';
import { committedStateBlock } from '../rpc/resolve.ts';
import type { Geth } from './geth.ts';
import { quantity } from './quantity.ts';
import { Turns } from './turns.ts';

export interface StockMethodsDeps {
  readonly chain: ChainReader;
  readonly pool: Pick<RunningPool, 'pendingNonce'>;
  readonly queries: Geth;
  /** Of one question. */
  readonly timeoutMs: number;
  readonly bounds?: { readonly atATime: number; readonly maxWaiting: number };
}

/** Position of the block among the parameters. Every method that is passed on stands here, and no other is. */
const ASKED_OF_STATE: Readonly<Record<string, number>> = {
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getStorageAt: 2,
  eth_getStorageValues: 1,
  eth_getProof: 2,
  eth_call: 1,
  eth_estimateGas: 1,
  eth_createAccessList: 1,
  eth_simulateV1: 1,
  debug_traceCall: 1,
  debug_traceBlockByNumber: 0,
};

const MOST_PARAMETERS = 6;
const BOUNDS = { atATime: 32, maxWaiting: 1_024 };

/**
 * What only the execution client can answer. Blocks are named to it by their numbers, as our own commitments have them:
 * its tags and its head may be ahead.
 */
export function stockMethods({ chain, pool, queries, timeoutMs, bounds = BOUNDS }: StockMethodsDeps): RpcMethods {
  const turns = new Turns(bounds);

  async function ask(method: string, params: readonly unknown[]): Promise<unknown> {
    const taken = await turns
      .take(() => queries.call(method, params, { timeoutMs }))
      .catch((error: unknown) => {
        if (error instanceof JsonRpcError) throw error;
        throw serverError(`the execution client does not answer: ${errorLine(error)}`);
      });
    if (taken === undefined) throw limitExceeded('too many calls are waiting, try again');
    return taken.result;
  }

  const ofState = Object.entries(ASKED_OF_STATE).map(([method, position]) => {
    const answer = (params: unknown) => {
      const values = positional(params);
      const block = parseAt(values, position, blockReference) ?? 'latest';
      return ask(method, replaced(values, position, quantity(committedStateBlock(chain, block))));
    };
    return [method, answer] as const;
  });

  return {
    ...Object.fromEntries(ofState),

    async eth_getTransactionCount(params) {
      const [account, block = 'latest'] = readParams(params, [address], [blockReference]);
      if (block === 'pending') return quantity(await pool.pendingNonce(account));
      return ask('eth_getTransactionCount', [account, quantity(committedStateBlock(chain, block))]);
    },

    debug_traceTransaction(params) {
      const values = positional(params);
      const transaction = parseAt(values, 0, hash);
      if (transaction === undefined) throw invalidParams('missing value for required argument 0');
      // It may have one that is not committed here.
      if (chain.transaction(transaction) === undefined) throw serverError('transaction not found');
      return ask('debug_traceTransaction', values);
    },

    debug_traceBlockByHash(params) {
      const values = positional(params);
      const block = parseAt(values, 0, hash);
      if (block === undefined) throw invalidParams('missing value for required argument 0');
      if (chain.header(block) === undefined) throw rpcError(CODES.server, `block ${block} not found`);
      return ask('debug_traceBlockByHash', values);
    },
  };
}

function positional(params: unknown): readonly unknown[] {
  const values = params ?? [];
  if (!Array.isArray(values)) throw invalidParams('non-array args');
  if (values.length > MOST_PARAMETERS) throw invalidParams(`too many arguments, want at most ${MOST_PARAMETERS}`);
  return values;
}

function parseAt<T>(values: readonly unknown[], position: number, parse: Parse<T>): T | undefined {
  const value = values[position];
  if (value === undefined || value === null) return undefined;
  try {
    return parse(value);
  } catch (error) {
    if (error instanceof Malformed) throw invalidArgument(position, error.message);
    throw error;
  }
}

function replaced(values: readonly unknown[], position: number, value: unknown): readonly unknown[] {
  const length = Math.max(values.length, position + 1);
  return Array.from({ length }, (_, index) => (index === position ? value : (values[index] ?? null)));
}
