import { startRollup } from '@switchyard/rollup';
import { runProcess } from '@switchyard/service';
import { messenger } from './app.ts';
import { fields } from './config.ts';
import { parseGenesis } from './genesis.ts';

void runProcess({
  name: 'messenger',
  fields,
  async main(config, context) {
    const { retainSearch, unsignedMessages: isDevelopment, faucetUrl, explorerUrl } = config;
    if (isDevelopment)
      context.log.warn('DEV_UNSIGNED_MESSAGES is set: any client can post as the development account alice');
    const links = { ...(faucetUrl && { faucet: faucetUrl }), ...(explorerUrl && { explorer: explorerUrl }) };
    const settings = { isDevelopment, links, ...(retainSearch !== 'all' && { retainSearch: BigInt(retainSearch) }) };
    await startRollup((text, file) => messenger(parseGenesis(text, file), settings), config, context);
  },
});
