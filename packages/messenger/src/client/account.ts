import { type RollupClient, requestPath } from '@switchyard/client/rollup';
import { getAccount, account as record } from '../contract.ts';

type Whole = ReturnType<typeof record.read>;

/** `nonce` counts transactions that were executed, `pendingNonce` also those that wait. */
export interface Account extends Pick<Whole, 'nonce' | 'pendingNonce'> {
  readonly balances: readonly { readonly asset: string; readonly amount: bigint }[];
}

/** An account as its node shows it, with the proofs of its nonce and balances. */
export type ProvenAccount = Whole;

/** Nonce and balances of an account, with their proofs. */
export async function provenAccount(
  rollup: Pick<RollupClient, 'get'>,
  address: string,
  signal?: AbortSignal,
): Promise<ProvenAccount> {
  return record.read(await rollup.get(requestPath(getAccount, { address, proof: true }), signal));
}

/** Nonce and balances of an account. */
export async function account(
  rollup: Pick<RollupClient, 'get'>,
  address: string,
  signal?: AbortSignal,
): Promise<Account> {
  return accountFrom(record.read(await rollup.get(requestPath(getAccount, { address }), signal)));
}

export const accountFrom = ({ nonce, pendingNonce, balances }: Whole): Account => ({
  nonce,
  pendingNonce,
  balances: balances.map(({ asset, amount }) => ({ asset, amount: BigInt(amount) })),
});
