import { rollupFields, startRollup } from '@switchyard/rollup';
import { runProcess } from '@switchyard/service';
import { counter } from './counter.ts';
import { parseGenesis } from './genesis.ts';

void runProcess({
  name: 'counter',
  fields: rollupFields,
  async main(config, context) {
    await startRollup((text, file) => counter(parseGenesis(text, file)), config, context);
  },
});
