import { rollupClient, type TransactionOutcome } from '@switchyard/client';
import { balance, type MessengerAction, sign, type Text, type TextsPage, texts } from '@switchyard/messenger/client';
import { createSigner, fromHex, parseAnyAddress, parseDenom, type TxHash } from '@switchyard/protocol';
import { alice, type DevAccount } from './accounts/accounts.ts';
import type { RollupAccess } from './rollup-access.ts';

/** Asset of the messenger in a genesis of ours. */
const ASSET = 'nria';
const feeAsset = parseDenom(ASSET);

interface Sending {
  /** Account that signs and pays; alice, if absent. */
  readonly account?: DevAccount;
}

export type MessengerClient = ReturnType<typeof messengerClient>;

/** The HTTP API of a messenger, with what a test does most. What is submitted was acknowledged when it resolves: it will be in a block. */
export function messengerClient({ url, fetch, failed }: RollupAccess) {
  const rollup = rollupClient({ url, fetch });
  const turns = new Map<string, Promise<unknown>>();
  let chainId: string | undefined;

  /** One at a time for each account, since each needs the nonce after that of the one before. */
  function submit({ address, key }: DevAccount, action: MessengerAction): Promise<{ readonly hash: TxHash }> {
    const sent = (turns.get(address) ?? Promise.resolve()).then(async () => {
      chainId ??= (await rollup.status()).chainId;
      const nonce = await rollup.nonce(address);
      return rollup.submit(sign({ nonce, chainId, actions: [action] }, createSigner(fromHex(key))));
    });
    turns.set(
      address,
      sent.catch(() => undefined),
    );
    return sent;
  }

  return {
    ...rollup,
    /** Signs and submits a text. @throws {RollupRefused} */
    submitText: async (
      text: string,
      { account = alice, from = account.name }: Sending & { readonly from?: string } = {},
    ) => submit(account, { kind: 'sendText', text, name: from, feeAsset }),
    /** Signs and submits a transfer of the rollup's asset, in its smallest unit. @throws {RollupRefused} */
    submitTransfer: async (to: string, amount: bigint, { account = alice }: Sending = {}) =>
      submit(account, { kind: 'transfer', to: parseAnyAddress(to), amount, asset: feeAsset, feeAsset }),
    /** Signs and submits a withdrawal to an account of the sequencer, in the smallest unit of the asset. @throws {RollupRefused} */
    submitWithdrawal: async (
      to: string,
      amount: bigint,
      { account = alice, asset = ASSET }: Sending & { readonly asset?: string } = {},
    ) => submit(account, { kind: 'withdraw', to: parseAnyAddress(to), amount, asset: parseDenom(asset), memo: '' }),
    /** Oldest first; without `after`, the newest ones. */
    texts: (page?: TextsPage): Promise<Text[]> => texts(rollup, page),
    /** Balance of an address, in the smallest unit. */
    balance: (address: string, asset = ASSET): Promise<bigint> => balance(rollup, address, asset),
    /** Waits for the outcome of a transaction. @throws {Error} where it was refused, is not known in time, or a part has failed. */
    async waitFor(
      hash: string,
      until: 'executed' | 'firm' = 'executed',
      options: { readonly timeoutMs?: number } = {},
    ): Promise<TransactionOutcome> {
      const signal = failed();
      const waiting = rollup.waitForTransaction(hash, { until, signal, ...options });
      const outcome = await waiting.catch((error: unknown) => {
        throw signal.aborted ? signal.reason : error;
      });
      const state = outcome?.state ?? 'unknown';
      if (outcome !== undefined && (state === 'firm' || state === until)) return outcome;
      const why = outcome?.reason === undefined ? '' : `: ${outcome.reason}`;
      throw new Error(`transaction ${hash} is ${state}, expected ${until}${why}`);
    },
  };
}
