import { type PageQuery, pageFrom, type RollupClient, type RollupPage, requestPath } from '@switchyard/client/rollup';
import { getAccountHistory, historyEntry } from '../contract.ts';

/** Something that an account sent or received. */
export interface HistoryEntry extends Omit<ReturnType<typeof historyEntry.read>, 'amount'> {
  readonly amount: bigint;
}

/** Transfers and credited deposits of an account, newest first. */
export async function accountHistory(
  rollup: Pick<RollupClient, 'get'>,
  address: string,
  query: PageQuery = {},
  signal?: AbortSignal,
): Promise<RollupPage<HistoryEntry>> {
  const answer = await rollup.get(requestPath(getAccountHistory, { address, ...query }), signal);
  return pageFrom(answer, 'entries', (entry) => {
    const { amount, ...rest } = historyEntry.read(entry);
    return { ...rest, amount: BigInt(amount) };
  });
}
