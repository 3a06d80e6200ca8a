import { JsonRpcError, silentLogger, systemClock, wallClock } from '@switchyard/service';
import { rpcContext } from '@switchyard/service/testing';
import type { ChainStore } from '../../chain/store.ts';
import type { Database } from '../../database/database.ts';
import { AddressIndex } from '../../explorer/index/address-index.ts';
import { explorerMethods } from '../../explorer/methods.ts';
import { CANCUN_FROM_GENESIS, type ForkSchedule } from '../../rules/forks.ts';
import { rulesAt } from '../../simulate/environment.ts';
import { EvmSimulator } from '../../simulate/evm-simulator.ts';
import type { StateStore } from '../../state/store.ts';
import type { RpcMethods } from '../deps.ts';
import { embeddedMethods } from '../embedded-methods.ts';
import { rpcServer } from '../server.ts';
import { memoryPool } from './memory-pool.ts';

/** Calls a method of JSON-RPC. @throws {JsonRpcError} as a client sees it. */
export type TestRpc = (method: string, ...params: readonly unknown[]) => Promise<unknown>;

/** Parts of `testChain`'s result. */
interface Stored {
  readonly chain: ChainStore;
  readonly database: Database;
  readonly state: StateStore;
  readonly genesis?: { readonly forks: ForkSchedule };
}

/** All methods of a node over a chain, with an empty pool. */
export function testMethods({ chain, database, state, genesis }: Stored): RpcMethods {
  const pool = memoryPool();
  const forks = genesis?.forks ?? CANCUN_FROM_GENESIS;
  const bounds = { gasCap: 50_000_000n, timeoutMs: 5_000 };
  const simulator = new EvmSimulator(bounds, {
    chain,
    rules: rulesAt(chain.chainId, forks),
    stateRoot: (block, changes) => state.rootWith(block, changes),
    slotsEver: (address) => state.slotsEver(address),
  });
  const index = new AddressIndex(database);
  return embeddedMethods(
    { chain, pool, simulator, forks, clock: systemClock, wall: wallClock, log: silentLogger },
    explorerMethods({ simulator, index }),
  );
}

/** Calls all methods of such a node behind a server without transport. */
export function testRpc(stored: Stored, log = silentLogger): TestRpc {
  const server = rpcServer({ methods: testMethods(stored), clock: systemClock, log });
  return async (method, ...params) => {
    const { result, error } = JSON.parse((await server.call(1, method, params, rpcContext())).text);
    if (error !== undefined) throw new JsonRpcError(error.code, error.message, error.data);
    return result;
  };
}
