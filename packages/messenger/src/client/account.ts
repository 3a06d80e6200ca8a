import { type RollupClient, requestPath } from '@switchyard/client/rollup';
import { getAccount, account as record } from '../contract.ts';

type Whole = ReturnType<typeof record.read>;

/** `nonce` counts transactions that were executed, `pendingNonce` also those that wait. */
export interface Account extends Pick<Whole, 'nonce' | 'pendingNonce'> {
  readonly balances: readonly { readonly asset: string; readonly amount: bigint }[];
}

/** Nonce and balances of an account. */
export async function account(
  rollup: Pick<RollupClient, 'get'>,
  address: string,
  signal?: AbortSignal,
): Promise<Account> {
  const answer = await rollup.get(requestPath(getAccount, { address }), signal);
  const { nonce, pendingNonce, balances } = record.read(answer);
  return {
    nonce,
    pendingNonce,
    balances: balances.map(({ asset, amount }) => ({ asset, amount: BigInt(amount) })),
  };
}
