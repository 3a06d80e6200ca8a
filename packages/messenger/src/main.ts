import { startRollup } from '@switchyard/rollup';
import { runProcess } from '@switchyard/service';
import { messenger } from './app.ts';
import { fields } from './config.ts';
import { parseGenesis } from './genesis.ts';

void runProcess({
  name: 'messenger',
  fields,
  async main(config, context) {
    const { retainSearch } = config;
    const settings = retainSearch === 'all' ? {} : { retainSearch: BigInt(retainSearch) };
    await startRollup((text, file) => messenger(parseGenesis(text, file), settings), config, context);
  },
});
