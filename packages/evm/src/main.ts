import { runProcess } from '@switchyard/service';
import { evmFields } from './config.ts';
import { startEvmNode } from './node.ts';

void runProcess({
  name: 'evm',
  fields: evmFields,
  async main(config, context) {
    await startEvmNode(config, context);
  },
});
