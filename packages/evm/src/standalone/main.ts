import { runProcess } from '@switchyard/service';
import { standaloneFields } from './config.ts';
import { startStandalone } from './run.ts';

void runProcess({
  name: 'evm-standalone',
  fields: standaloneFields,
  async main(config, context) {
    await startStandalone(config, context);
  },
});
