import { rollupClient, type TransactionBlocks } from '@switchyard/client/rollup';
import type { TextsPage } from '@switchyard/messenger/client';
import { balance, texts } from '@switchyard/messenger/client/queries';
import { askAgain } from './ask-again.ts';
import type { CheckWith } from './verified-balance.ts';

/** A rollup node by its HTTP interface, in the words of the commands. */
export function connectRollup(url: string) {
  const client = rollupClient({ url });
  return {
    async status() {
      const { rollup, chainId, soft, firm, all } = await askAgain(() => client.status());
      return { name: rollup, chainId, height: soft, firm, all };
    },
    /** The next nonce that can be used. */
    nonce: (address: string) => askAgain(() => client.nonce(address)),
    /** All that is signed besides the actions. */
    toSign: (address: string, validFor: number) => askAgain(() => client.toSign(address, validFor)),
    balance: (address: string, asset: string) => askAgain(() => balance(client, address, asset)),
    /** Checks it against a header that the validators have signed. */
    async verifiedBalance(address: string, asset: string, checkWith: CheckWith) {
      const { verifiedBalance } = await import('./verified-balance.ts');
      return verifiedBalance(client, url, { address, asset }, checkWith);
    },
    texts: (page: Pick<TextsPage, 'after' | 'limit'>) => askAgain(() => texts(client, page)),
    submit: async (bytes: Uint8Array) => (await client.submit(bytes)).hash,
    transaction: (hash: string) => askAgain(() => client.transaction(hash)),
    /** The last that is known when the time is over. */
    waitUntilExecuted: (hash: string, timeoutMs: number, blocks?: TransactionBlocks) =>
      client.waitForTransaction(hash, { until: 'executed', timeoutMs, blocks }),
  };
}
