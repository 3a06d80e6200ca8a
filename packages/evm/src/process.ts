import type { ProcessContext } from '@switchyard/service';
import type { ConfigOf } from '@switchyard/service/settings';
import { evmFields } from './config.ts';
import { startEvmNode } from './node.ts';

/** The process, for its own program and for a program that runs several. */
export const evm = {
  name: 'evm',
  fields: evmFields,
  main: (config: ConfigOf<typeof evmFields>, context: ProcessContext): Promise<unknown> =>
    startEvmNode(config, context),
};

export { parseEvmGenesis } from './genesis.ts';
