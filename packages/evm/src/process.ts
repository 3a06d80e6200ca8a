import type { ProcessContext } from '@switchyard/service';
import { type EvmConfig, evmFields } from './config.ts';
import type { NetworkControls } from './development/in-network.ts';
import { startEvmNode } from './node/node.ts';

/** The process, for its own program and for a program that runs several. */
export const evm = {
  name: 'evm',
  fields: evmFields,
  main: (config: EvmConfig, context: ProcessContext): Promise<unknown> => startEvmNode(config, context),
};

/** The process in a network of a test, with the methods of `switchyard evm dev` that a sequencer leaves possible. */
export async function evmInNetwork(network: NetworkControls) {
  const { DevelopmentInNetwork } = await import('./development/in-network.ts');
  const development = new DevelopmentInNetwork(network);
  return {
    ...evm,
    main: (config: EvmConfig, context: ProcessContext): Promise<unknown> =>
      startEvmNode(config, context, config.backend === 'embedded' ? development : undefined),
  };
}

export { parseEvmGenesis } from './genesis/genesis.ts';
export type { NetworkControls };
