import { freePort } from '@switchyard/service/testing';
import { startAnvil } from '../support/anvil.ts';
import { CHAIN_ID } from '../support/evm.ts';
import type { Network } from '../support/network.ts';
import { Endpoint } from './evm-load.ts';
import { changeEvmGenesis, withNetwork } from './network.ts';

/**
 * Both have blocks of the same gas, and one block a second: ten times as much as new instances have, since the usual
 * 100 million hold no more than 4,761 transfers or about 2,900 of a token, and both nodes are faster than that.
 */
const GAS_LIMIT = 1_000_000_000;

export interface Pair {
  readonly network: Network;
  readonly nodes: readonly [ours: Endpoint, anvil: Endpoint];
}

/** Runs a network of ours and an anvil with the same accounts until `use` is done. */
export async function withPair<T>(
  { anvilArgs = [], intervalMs }: { readonly anvilArgs?: readonly string[]; readonly intervalMs?: number },
  use: (pair: Pair) => Promise<T>,
): Promise<T> {
  const chain = ['--chain-id', String(CHAIN_ID), '--gas-limit', String(GAS_LIMIT)];
  const other = await startAnvil(await freePort(), ...chain, ...anvilArgs);
  const anvil = new Endpoint('anvil', other.url);
  const prepare = (network: Network) =>
    changeEvmGenesis(network, (genesis) => ({ ...genesis, gasLimit: `0x${GAS_LIMIT.toString(16)}` }));
  try {
    return await withNetwork({ template: 'evm', ...(intervalMs !== undefined && { intervalMs }), prepare }, (network) =>
      withEndpoint(network.url('evm'), (own) => use({ network, nodes: [own, anvil] })),
    );
  } finally {
    anvil.close();
    await other.stop();
  }
}

export async function withEndpoint<T>(url: string, use: (node: Endpoint) => Promise<T>): Promise<T> {
  const node = new Endpoint('ours', url);
  try {
    return await use(node);
  } finally {
    node.close();
  }
}

/** Measures both nodes, each run in the other order than the one before. */
export async function both({ nodes }: Pair, run: number, measure: (node: Endpoint) => Promise<number>) {
  const found = new Map<Endpoint, number>();
  for (const node of run % 2 === 0 ? nodes : [...nodes].reverse()) found.set(node, await measure(node));
  const [own = Number.NaN, anvil = Number.NaN] = nodes.map((node) => found.get(node));
  return { ours: own, anvil, ratio: own / anvil };
}
