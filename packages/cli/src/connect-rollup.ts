import { rollupClient } from '@switchyard/client/rollup';
import type { RollupPort } from './connections.ts';

/** A rollup node by its HTTP interface, in the words of the commands. */
export function connectRollup(url: string): RollupPort {
  const client = rollupClient({ url });
  return {
    async status() {
      const { rollup, chainId, soft, firm, all } = await client.status();
      return { name: rollup, chainId, height: soft, firm, all };
    },
    nonce: (address) => client.nonce(address),
    balance: (address, asset) => client.balance(address, asset),
    texts: (page) => client.texts(page),
    submit: async (bytes) => (await client.submit(bytes)).hash,
    transaction: (hash) => client.transaction(hash),
    waitUntilExecuted: (hash, timeoutMs) => client.waitForTransaction(hash, { until: 'executed', timeoutMs }),
  };
}
