import { rpcContext } from '@switchyard/service/testing';
import { AddressIndex } from '../../explorer/index/address-index.ts';
import { rulesAt } from '../../simulate/environment.ts';
import { EvmSimulator, type SimulatorConfig } from '../../simulate/evm-simulator.ts';
import { type TestChain, type TestChainOptions, testChain } from '../../testing.ts';
import type { RpcMethods } from '../deps.ts';

export interface CallChain {
  readonly test: TestChain;
  readonly simulator: EvmSimulator;
  /** Another one of the same chain. */
  simulatorWith(config: Partial<SimulatorConfig>): EvmSimulator;
  readonly index: AddressIndex;
  /** Asks one of the methods. The answer is as in JSON. */
  ask(methods: RpcMethods, name: string, ...params: readonly unknown[]): Promise<unknown>;
}

/** A test chain with a simulator and an index on it. */
export async function callChain(
  options: TestChainOptions = {},
  config: Partial<SimulatorConfig> = {},
): Promise<CallChain> {
  let index: AddressIndex | undefined;
  const test = await testChain({
    ...options,
    indexers(database) {
      index = new AddressIndex(database);
      return [index];
    },
  });
  if (index === undefined) throw new Error('the chain asked for no index');
  const rules = rulesAt(test.chain.chainId, test.genesis.forks);
  const bounds = { gasCap: 50_000_000n, timeoutMs: 5_000, ...config };
  const simulatorWith = (other: Partial<SimulatorConfig>) =>
    new EvmSimulator(
      { ...bounds, ...other },
      {
        chain: test.chain,
        rules,
        stateRoot: (block, changes) => test.state.rootWith(block, changes),
        slotsEver: (address) => test.state.slotsEver(address),
      },
    );
  return {
    test,
    simulator: simulatorWith({}),
    simulatorWith,
    index,
    async ask(methods, name, ...params) {
      const method = methods[name];
      if (method === undefined) throw new Error(`no method ${name}`);
      const answer: unknown = await method(params, rpcContext());
      return answer === undefined ? undefined : JSON.parse(JSON.stringify(answer));
    },
  };
}
