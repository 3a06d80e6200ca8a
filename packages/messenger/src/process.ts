import { getGenesis, rollupProcess } from '@switchyard/rollup/node';
import { explorerIn } from '@switchyard/service/settings';
import { ownFields } from './config.ts';
import { messenger } from './messenger.ts';
import { besideMessenger } from './node.ts';

/** The process, for its own program and for a program that runs several. */
export const messengerNode = rollupProcess(messenger, {
  fields: ownFields,
  beside(genesis, { retainSearch, unsignedMessages: isDevelopment, faucetUrl, pages, ...config }, { log }) {
    if (isDevelopment) log.warn('DEV_UNSIGNED_MESSAGES is set: any client can post as the development account alice');
    const explorerUrl = config.explorerUrl ?? explorerIn(pages);
    const links = { ...(faucetUrl && { faucet: faucetUrl }), ...(explorerUrl && { explorer: explorerUrl }) };
    const retained = retainSearch !== 'all' && { retainSearch: BigInt(retainSearch) };
    return besideMessenger(genesis, { isDevelopment, links, pages, ...retained });
  },
});

/** Reads a genesis file. @throws {InvalidConfig} naming every mistake with `file` and key path. */
export const parseGenesis = (text: string, file: string, sequencerChainId?: string) =>
  getGenesis(messenger, text, file, sequencerChainId);
