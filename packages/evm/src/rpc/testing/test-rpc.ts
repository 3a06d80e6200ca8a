import { JsonRpcError, silentLogger, systemClock } from '@switchyard/service';
import type { ChainReader } from '../../chain/chain.ts';
import { cancunRules } from '../../embedded/interpreter.ts';
import { EvmSimulator } from '../../simulate/evm-simulator.ts';
import { embeddedMethods } from '../embedded-methods.ts';
import { rpcServer } from '../server.ts';
import { memoryPool } from './memory-pool.ts';

/** Calls a method of JSON-RPC. @throws {JsonRpcError} as a client sees it. */
export type TestRpc = (method: string, ...params: readonly unknown[]) => Promise<unknown>;

/** All methods of a node over a chain, without transport and with an empty pool. */
export function testRpc(chain: ChainReader): TestRpc {
  const pool = memoryPool();
  const rules = cancunRules(chain.chainId);
  const bounds = { gasCap: 50_000_000n, timeoutMs: 5_000, atATime: 8, maxWaiting: 256 };
  const simulator = new EvmSimulator(bounds, { chain, rules: () => rules });
  const deps = { chain, pool, simulator, clock: systemClock, log: silentLogger };
  const server = rpcServer({ ...deps, methods: embeddedMethods(deps) });
  const context = { subscriber: undefined, deadline: Number.MAX_SAFE_INTEGER, afterAnswer: () => undefined };
  return async (method, ...params) => {
    const { result, error } = JSON.parse(await server.call(1, method, params, context));
    if (error !== undefined) throw new JsonRpcError(error.code, error.message, error.data);
    return result;
  };
}
