import { startRollup } from '@switchyard/rollup';
import type { ProcessContext } from '@switchyard/service';
import { type ConfigOf, explorerIn } from '@switchyard/service/settings';
import { messenger } from './app.ts';
import { fields } from './config.ts';
import { parseGenesis } from './genesis.ts';

/** The process, for its own program and for a program that runs several. */
export const messengerNode = {
  name: 'messenger',
  fields,
  async main(config: ConfigOf<typeof fields>, context: ProcessContext): Promise<void> {
    const { retainSearch, unsignedMessages: isDevelopment, faucetUrl, pages } = config;
    if (isDevelopment)
      context.log.warn('DEV_UNSIGNED_MESSAGES is set: any client can post as the development account alice');
    const explorerUrl = config.explorerUrl ?? explorerIn(pages);
    const links = { ...(faucetUrl && { faucet: faucetUrl }), ...(explorerUrl && { explorer: explorerUrl }) };
    const settings = {
      isDevelopment,
      links,
      pages,
      ...(retainSearch !== 'all' && { retainSearch: BigInt(retainSearch) }),
    };
    await startRollup((text, file) => messenger(parseGenesis(text, file), settings), config, context);
  },
};

export { parseGenesis } from './genesis.ts';
