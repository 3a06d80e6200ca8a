import type { Ledger } from './ledger.ts';
import { type Funds, Unusable } from './payer.ts';

/** The node reports a nonce that our payments do not explain; it is queried again. */
export class NonceInDoubt extends Error {
  override readonly name = 'NonceInDoubt';
}

/**
 * Nothing may be paid on another chain than that of the claims on disk.
 *
 * @param expected Id that the chain must have; anything, if undefined.
 * @throws {Unusable}
 */
export function checkChain(
  { chain, lastNonce }: Pick<Ledger, 'chain' | 'lastNonce'>,
  funds: Funds,
  expected: string | undefined,
): void {
  if (expected !== undefined && expected !== funds.chainId) {
    throw new Unusable(`the node is of chain ${funds.chainId}, expected ${expected} (SVC_FAUCET_CHAIN_ID)`);
  }
  const advice = 'set SVC_FAUCET_DB_FILEPATH to another directory, or delete this one';
  if (chain !== undefined && chain !== funds.chain) {
    throw new Unusable(
      `the claims on disk belong to chain ${chain} and the node is of chain ${funds.chain}: ${advice}`,
    );
  }
  if (lastNonce !== undefined && funds.nonce <= lastNonce) {
    throw new Unusable(
      `the node knows ${funds.nonce} transactions of the faucet's account, expected at least ${lastNonce + 1}: it is behind, or its chain was started over (then ${advice})`,
    );
  }
}
