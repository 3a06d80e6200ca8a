import { runProcess } from '@switchyard/service';
import { archiveFields } from './config.ts';
import { runArchive } from './run.ts';

void runProcess({
  name: 'evm-archive',
  fields: archiveFields,
  main: async (config, context) => ((await runArchive(config, context)) === undefined ? 'done' : undefined),
});
