import type { TransactionBlocks, TransactionOutcome } from '@switchyard/client/rollup';
import { messenger as definition } from '@switchyard/messenger';
import { balance, type MessengerAction, type TextsPage, texts } from '@switchyard/messenger/client';
import { createSigner, fromHex, parseAnyAddress, parseDenom } from '@switchyard/protocol';
import { clientOf } from '@switchyard/rollup/client';
import { alice, type DevAccount } from './accounts/accounts.ts';
import type { RollupAccess } from './rollup-access.ts';

/** Asset of the messenger in a genesis of ours. */
const ASSET = 'nria';
const feeAsset = parseDenom(ASSET);
/** Submissions whose last blocks are remembered: of one before them, which was lost, it is not known that it has expired. */
const MOST_KNOWN = 1_024;

interface Sending {
  /** Account that signs and pays; alice, if absent. */
  readonly account?: DevAccount;
}

/** Client of the messenger in a network: accounts, transfers, texts and withdrawals. */
export type MessengerClient = ReturnType<typeof messengerClient>;

/** The HTTP API of a messenger, with the usual calls of a test. Submissions resolve when acknowledged: they will be in a block, or expire. */
export function messengerClient({ url, fetch, failed }: Omit<RollupAccess, 'links'>) {
  const { rollup, send } = clientOf(definition, { url, fetch });
  const known = new Map<string, TransactionBlocks>();

  async function submit({ key }: DevAccount, action: MessengerAction) {
    const { hash, blocks } = await send([action], createSigner(fromHex(key)), { until: 'accepted' });
    if (blocks !== undefined) known.set(hash, blocks);
    const [oldest = ''] = known.keys();
    if (known.size > MOST_KNOWN) known.delete(oldest);
    return { hash };
  }

  return {
    ...rollup,
    /** Signs and submits a text. @throws {SubmissionFailed} */
    submitText: async (
      text: string,
      { account = alice, from = account.name }: Sending & { readonly from?: string } = {},
    ) => submit(account, { kind: 'sendText', text, name: from, feeAsset }),
    /** Signs and submits a transfer of the rollup's asset, in its smallest unit. @throws {SubmissionFailed} */
    submitTransfer: async (to: string, amount: bigint, { account = alice }: Sending = {}) =>
      submit(account, { kind: 'transfer', to: parseAnyAddress(to), amount, asset: feeAsset, feeAsset }),
    /** Signs and submits a withdrawal to an account of the sequencer, in the smallest unit of the asset. @throws {SubmissionFailed} */
    submitWithdrawal: async (
      to: string,
      amount: bigint,
      { account = alice, asset = ASSET }: Sending & { readonly asset?: string } = {},
    ) => submit(account, { kind: 'withdraw', to: parseAnyAddress(to), amount, asset: parseDenom(asset), memo: '' }),
    /** Oldest first; without `after`, the newest ones. */
    texts: (page?: TextsPage) => texts(rollup, page),
    /** Balance of an address, in the smallest unit. */
    balance: (address: string, asset = ASSET): Promise<bigint> => balance(rollup, address, asset),
    /** Waits for the outcome of a transaction. @throws {Error} if it was refused, has expired, is not known in time, or a part has failed. */
    async waitFor(
      hash: string,
      until: 'executed' | 'firm' = 'executed',
      options: { readonly timeoutMs?: number } = {},
    ): Promise<TransactionOutcome> {
      const signal = failed();
      const waiting = rollup.waitForTransaction(hash, { until, signal, blocks: known.get(hash), ...options });
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
