import { ZERO_ADDRESS } from '@switchyard/protocol/ethereum';
import { serverError } from '../json/errors.ts';
import { readParams } from '../json/params.ts';
import type { RunningPool } from '../pool/deps.ts';
import { simulatorMethods } from '../rpc/call/all-methods.ts';
import { fillTransaction } from '../rpc/call/fill.ts';
import type { RpcDeps, RpcMethods } from '../rpc/deps.ts';
import { rpcMethods } from '../rpc/methods.ts';
import { poolMethods } from '../rpc/pool/methods.ts';
import { CANCUN_FROM_GENESIS } from '../rules/forks.ts';
import { callRequest } from '../simulate/call-request.ts';
import { rulesAt } from '../simulate/environment.ts';
import { EvmSimulator } from '../simulate/evm-simulator.ts';
import type { Geth } from './geth.ts';
import { callsOfGeth, createTurns, type GethMethodsDeps, stateOfGeth } from './methods.ts';

export interface GethRpcDeps extends RpcDeps {
  readonly pool: RunningPool;
  readonly queries: Geth;
  /** Time limit of one question to the execution client. */
  readonly queryTimeoutMs: number;
  /** More methods: from our own blocks, by a simulator without state, and from the execution client. */
  readonly more?: (stateless: EvmSimulator, wanted: GethMethodsDeps) => RpcMethods;
}

/**
 * Every method of a node with a stock execution client behind. What neither our own blocks nor the client can answer
 * (the `trace_` methods) answers that the state is not here.
 */
export function gethRpc(deps: GethRpcDeps): RpcMethods {
  const { chain, pool, simulator, queryTimeoutMs: timeoutMs, queries } = deps;
  const wanted = { chain, pool, queries, timeoutMs, turns: createTurns(32, 1_024) };
  const rules = rulesAt(chain.chainId, deps.forks ?? CANCUN_FROM_GENESIS);
  // Answers about blocks alone; requests for state are answered with an error.
  const slotsEver = (): never => {
    throw serverError('slots are listed by the execution client');
  };
  const bounds = { gasCap: 0n, timeoutMs };
  const stateless = new EvmSimulator(bounds, { chain, rules, slotsEver });
  const more = deps.more?.(stateless, wanted) ?? {};
  return {
    ...rpcMethods(deps, poolMethods(deps), simulatorMethods({ simulator: stateless, pool }), more),
    ...stateOfGeth(wanted),
    ...callsOfGeth(wanted),

    async eth_fillTransaction(params) {
      const [request] = readParams(params, [callRequest]);
      // The account is elsewhere, and filling asks for it at once.
      const nonce = request.nonce ?? (await pool.pendingNonce(request.from ?? ZERO_ADDRESS));
      return fillTransaction({ chain, pool, simulator }, { ...request, nonce });
    },
  };
}
