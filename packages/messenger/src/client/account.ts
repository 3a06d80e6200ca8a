import type { RollupClient } from '@switchyard/client/rollup';

export interface Account {
  /** How many transactions of the account were executed. */
  readonly nonce: number;
  /** The next nonce, counting pending transactions. */
  readonly pendingNonce: number;
  readonly balances: readonly { readonly asset: string; readonly amount: bigint }[];
}

/** Nonce and balances of an account. */
export async function account(
  rollup: Pick<RollupClient, 'get'>,
  address: string,
  signal?: AbortSignal,
): Promise<Account> {
  const answer = await rollup.get(`/v1/accounts/${encodeURIComponent(address)}`, signal);
  return {
    nonce: answer.at('nonce').integer(),
    pendingNonce: answer.at('pendingNonce').integer(),
    balances: answer
      .at('balances')
      .list()
      .map((each) => ({ asset: each.at('asset').text(), amount: each.at('amount').big() })),
  };
}
