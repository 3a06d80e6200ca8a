import { type PageQuery, pageFrom, type RollupClient, type RollupPage, withQuery } from '@switchyard/client/rollup';

/** Something that an account sent or received. */
export interface HistoryEntry {
  readonly id: bigint;
  readonly kind: 'transfer' | 'deposit';
  readonly block: bigint;
  /** RFC 3339. */
  readonly time: string;
  readonly from: string;
  readonly to: string;
  readonly asset: string;
  readonly amount: bigint;
  /** Of the transaction; of a deposit, on the sequencer. */
  readonly hash: string;
}

/** Transfers and credited deposits of an account, newest first. */
export async function accountHistory(
  rollup: Pick<RollupClient, 'get'>,
  address: string,
  query: PageQuery = {},
  signal?: AbortSignal,
): Promise<RollupPage<HistoryEntry>> {
  const path = withQuery(`/v1/accounts/${encodeURIComponent(address)}/history`, { ...query });
  return pageFrom(await rollup.get(path, signal), 'entries', (entry) => {
    const kind = entry.at('kind').text();
    const word = (name: string) => entry.at(name).text();
    return {
      id: entry.at('id').big(),
      kind: kind === 'transfer' || kind === 'deposit' ? kind : entry.at('kind').fail('transfer or deposit'),
      block: entry.at('block').big(),
      amount: entry.at('amount').big(),
      ...{ time: word('time'), from: word('from'), to: word('to'), asset: word('asset'), hash: word('hash') },
    };
  });
}
