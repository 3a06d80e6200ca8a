import { type RollupClient, rollupClient, type TransactionOutcome } from '@switchyard/client';
import {
  balance,
  signText,
  signTransfer,
  signWithdraw,
  type Text,
  type TextsPage,
  texts,
} from '@switchyard/messenger/client';
import { createSigner, fromHex, type TxHash } from '@switchyard/protocol';
import { alice, type DevAccount } from './accounts/accounts.ts';
import type { RollupAccess } from './rollup-access.ts';

/** Asset of the messenger in a genesis of ours. */
const ASSET = 'nria';

interface Sending {
  /** Account that signs and pays; alice, if absent. */
  readonly account?: DevAccount;
}

/** The HTTP API of a messenger, with what a test does most. */
export interface MessengerClient extends RollupClient {
  /** Signs and submits a text. Resolves when it was acknowledged: it will be in a block. @throws {RollupRefused} */
  submitText(text: string, options?: Sending & { readonly from?: string }): Promise<{ readonly hash: TxHash }>;
  /** Signs and submits a transfer of the rollup's asset, in its smallest unit. @throws {RollupRefused} */
  submitTransfer(to: string, amount: bigint, options?: Sending): Promise<{ readonly hash: TxHash }>;
  /** Signs and submits a withdrawal to an account of the sequencer, in the smallest unit of the asset. @throws {RollupRefused} */
  submitWithdrawal(
    to: string,
    amount: bigint,
    options?: Sending & { readonly asset?: string },
  ): Promise<{ readonly hash: TxHash }>;
  /** Oldest first; without `after`, the newest ones. */
  texts(page?: TextsPage): Promise<Text[]>;
  /** Balance of an address, in the smallest unit. */
  balance(address: string, asset?: string): Promise<bigint>;
  /** Waits for the outcome of a transaction. @throws {Error} where it was refused, is not known in time, or a part has failed. */
  waitFor(
    hash: string,
    until?: 'executed' | 'firm',
    options?: { readonly timeoutMs?: number },
  ): Promise<TransactionOutcome>;
}

export function messengerClient({ url, fetch, failed }: RollupAccess): MessengerClient {
  const rollup = rollupClient({ url, fetch });
  const turns = new Map<string, Promise<unknown>>();
  let chainId: string | undefined;

  /** One at a time for each account, since each needs the nonce after that of the one before. */
  function submit({ address, key }: DevAccount, sign: Sign): Promise<{ readonly hash: TxHash }> {
    const sent = (turns.get(address) ?? Promise.resolve()).then(async () => {
      chainId ??= (await rollup.status()).chainId;
      const nonce = await rollup.nonce(address);
      return rollup.submit(sign({ nonce, chainId }, createSigner(fromHex(key))));
    });
    turns.set(
      address,
      sent.catch(() => undefined),
    );
    return sent;
  }

  return {
    ...rollup,
    submitText: (text, { account = alice, from = account.name } = {}) =>
      submit(account, (parameters, signer) => signText({ ...parameters, text, from, feeAsset: ASSET }, signer)),
    submitTransfer: (to, amount, { account = alice } = {}) =>
      submit(account, (parameters, signer) =>
        signTransfer({ ...parameters, to, amount, asset: ASSET, feeAsset: ASSET }, signer),
      ),
    submitWithdrawal: (to, amount, { account = alice, asset = ASSET } = {}) =>
      submit(account, (parameters, signer) => signWithdraw({ ...parameters, to, amount, asset }, signer)),
    texts: (page) => texts(rollup, page),
    balance: (address, asset = ASSET) => balance(rollup, address, asset),
    async waitFor(hash, until = 'executed', options = {}) {
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

type Sign = (
  parameters: { readonly nonce: number; readonly chainId: string },
  signer: ReturnType<typeof createSigner>,
) => Uint8Array;
