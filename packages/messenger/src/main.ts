import { rollupFields, startRollup } from '@switchyard/rollup';
import { runProcess } from '@switchyard/service';
import { messenger } from './app.ts';
import { parseGenesis } from './genesis.ts';

void runProcess({
  name: 'messenger',
  fields: rollupFields,
  async main(config, context) {
    await startRollup((text, file) => messenger(parseGenesis(text, file)), config, context);
  },
});
