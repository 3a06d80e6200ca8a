import { quantity, ZERO_ADDRESS } from '@switchyard/protocol/ethereum';
import { JsonRpcError, toRetention } from '@switchyard/service';
import type { ChainReader } from '../chain/chain.ts';
import { EVM_LEAST_BLOCKS, type EvmConfig } from '../config.ts';
import { AddressIndex } from '../explorer/index/address-index.ts';
import { explorerMethods } from '../explorer/methods.ts';
import type { EvmGenesis } from '../genesis/genesis.ts';
import { serverError } from '../json/errors.ts';
import { readParams } from '../json/params.ts';
import { type CommonDeps, type NodeContext, openNodeDatabase, openPool, openRecovery } from '../node/parts.ts';
import type { RunningPool } from '../pool/deps.ts';
import { simulatorMethods } from '../rpc/call/all-methods.ts';
import { fillTransaction } from '../rpc/call/fill.ts';
import type { RpcDeps, RpcMethods } from '../rpc/deps.ts';
import { rpcMethods } from '../rpc/methods.ts';
import { poolMethods } from '../rpc/pool/methods.ts';
import { CANCUN_FROM_GENESIS } from '../rules/forks.ts';
import { Senders } from '../senders/senders.ts';
import { callRequest, callRequestJson } from '../simulate/call-request.ts';
import { rulesAt } from '../simulate/environment.ts';
import { EvmSimulator } from '../simulate/evm-simulator.ts';
import type { CallBlock, CallOutcome, CallRequest, Simulator } from '../simulate/simulator.ts';
import { HERE_MS, longInThreads } from '../threads/in-threads.ts';
import { hasOwnThreads, openThreads } from '../threads/open.ts';
import { openLinks } from './config.ts';
import { explorerOfGeth } from './explorer-methods.ts';
import type { Geth } from './geth.ts';
import { callsOfGeth, createTurns, type GethMethodsDeps, nextBlock, stateOfGeth } from './methods.ts';
import { openGeth } from './open.ts';
import { data, quantity as number, readResponse } from './response.ts';

/** With a stock execution client behind; the node answers before that is connected. */
export async function openParts(genesis: EvmGenesis, config: EvmConfig, context: NodeContext) {
  const { log, signal, metrics } = context;
  const links = await openLinks(config);
  context.defer(() => links.close());
  const database = openNodeDatabase(config, context, 'stock');
  const senders = new Senders(openRecovery(context));
  const child = log.child({ component: 'stock' });
  const index = new AddressIndex(database);
  const retention = toRetention(config, EVM_LEAST_BLOCKS);
  const stock = openGeth(genesis, {
    ...links,
    ...{ database, senders, safe: config.safe, log: child, signal, metrics, indexers: [index], retention },
  });
  const { chain, executor, queries, poolChain } = stock;
  const pool = openPool(genesis, config, context, { chain, poolChain, database, senders });
  const queryTimeoutMs = config.callTimeoutMs;
  const simulator = gethSimulator({ queries, chain, timeoutMs: queryTimeoutMs });
  const { chainId, forks } = genesis;
  const { safe } = config;
  const calls = { gasCap: 0n, timeoutMs: queryTimeoutMs };
  const threads = hasOwnThreads(config) ? openThreads({ chainId, forks, safe }, config, context, calls) : undefined;
  const methods = (deps: CommonDeps) => {
    const here = gethRpc({
      ...{ ...deps, pool, simulator, queries, queryTimeoutMs, hereMs: threads && HERE_MS },
      more: (stateless, wanted) => ({
        ...explorerMethods({ simulator: stateless, index, hasInternalCalls: false }),
        ...explorerOfGeth({ ...wanted, index }),
      }),
    });
    return threads === undefined ? here : longInThreads(here, threads);
  };
  return { chain, executor, pool, simulator, methods, trouble: () => stock.trouble, work: () => stock.work() };
}

interface GethSimulatorDeps {
  readonly queries: Geth;
  readonly chain: Pick<ChainReader, 'heads' | 'header'>;
  readonly timeoutMs: number;
}

/** Has the execution client run calls, for the methods of ours that need one. */
function gethSimulator({ queries, chain, timeoutMs }: GethSimulatorDeps): Simulator {
  const ask = (method: string, request: CallRequest, block: CallBlock, ...more: readonly unknown[]) => {
    const number = block === 'pending' ? chain.heads.latest : block;
    return queries.call(method, [callRequestJson(request), quantity(number), ...more], { timeoutMs });
  };

  return {
    async call(request, block, overrides): Promise<CallOutcome> {
      refuseOverrides(overrides);
      try {
        const output = readResponse(await ask('eth_call', request, block), 'eth_call', data);
        return { gasUsed: 0n, output, logs: [], failure: undefined };
      } catch (error) {
        if (!(error instanceof JsonRpcError) || error.code !== REVERTED) throw error;
        const output = readResponse(error.data ?? '0x', 'eth_call: data of the error', data);
        return { gasUsed: 0n, output, logs: [], failure: { kind: 'revert', message: error.rpcMessage } };
      }
    },
    async estimateGas(request, block, overrides): Promise<bigint> {
      refuseOverrides(overrides);
      const next = block === 'pending' ? [null, nextBlock(chain)] : [];
      return readResponse(await ask('eth_estimateGas', request, block, ...next), 'eth_estimateGas', number);
    },
  };
}

/** Code of a call that reverted, with its output as data. */
const REVERTED = 3;

/** Calls with overrides are passed on as they came. */
function refuseOverrides(overrides: object | undefined): void {
  if (overrides !== undefined && Object.values(overrides).some((each) => each !== undefined))
    throw serverError('overrides are not supported here');
}

interface GethRpcDeps extends RpcDeps {
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
function gethRpc(deps: GethRpcDeps): RpcMethods {
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
