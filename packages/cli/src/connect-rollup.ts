import { rollupClient } from '@switchyard/client/rollup';
import { balance, texts } from '@switchyard/messenger/client/queries';
import { askAgain } from './ask-again.ts';
import type { RollupPort } from './connections.ts';

/** A rollup node by its HTTP interface, in the words of the commands. */
export function connectRollup(url: string): RollupPort {
  const client = rollupClient({ url });
  return {
    async status() {
      const { rollup, chainId, soft, firm, all } = await askAgain(() => client.status());
      return { name: rollup, chainId, height: soft, firm, all };
    },
    nonce: (address) => askAgain(() => client.nonce(address)),
    balance: (address, asset) => askAgain(() => balance(client, address, asset)),
    async verifiedBalance(address, asset, checkWith) {
      const { verifiedBalance } = await import('./verified-balance.ts');
      return verifiedBalance(client, url, { address, asset }, checkWith);
    },
    texts: (page) => askAgain(() => texts(client, page)),
    submit: async (bytes) => (await client.submit(bytes)).hash,
    transaction: (hash) => askAgain(() => client.transaction(hash)),
    waitUntilExecuted: (hash, timeoutMs) => client.waitForTransaction(hash, { until: 'executed', timeoutMs }),
  };
}
