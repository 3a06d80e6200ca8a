import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configure } from '../support/da-processes.ts';
import { createNetwork, type Network } from '../support/network.ts';

export const INSTANCE = 'bench';

export interface NetworkOptions {
  /** Rollups of the network. */
  readonly template?: 'messenger' | 'evm' | 'messenger,evm';
  readonly layer?: 'none' | 'local';
  /** Each service is a process of its own, or they share one. */
  readonly hasProcesses?: boolean;
  readonly intervalMs?: number;
  /** Settings of services, by the names of their environment variables in any case. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Changes files of the instance before its start. */
  readonly prepare?: (network: Network) => Promise<void> | void;
}

/** Runs a network of its own until `use` is done. */
export async function withNetwork<T>(
  { template = 'messenger', layer = 'none', hasProcesses = true, intervalMs, settings = {}, prepare }: NetworkOptions,
  use: (network: Network) => Promise<T>,
): Promise<T> {
  const init = ['--template', template, '--data-availability', layer];
  const network = await createNetwork({ instance: INSTANCE, init, hasProcesses });
  try {
    if (intervalMs !== undefined) {
      const pace = ['blockinterval', String(intervalMs), '--instance', INSTANCE];
      const { status, stderr } = await network.switchyard('dev', 'setconfig', ...pace);
      if (status !== 0) throw new Error(stderr);
    }
    configure(network, settings);
    await prepare?.(network);
    await network.start();
    return await use(network);
  } finally {
    await network.dispose();
  }
}

/** Changes the genesis file of a network's EVM rollup. */
export function changeEvmGenesis(
  { home, instance }: Network,
  // biome-ignore lint/suspicious/noExplicitAny: a file of our own tool, of which single members are read
  change: (genesis: any) => object,
): void {
  const file = join(home, instance, 'config', 'evm_genesis.json');
  writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, 'utf8')))));
}
