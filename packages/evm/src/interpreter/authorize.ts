import { bytesOf, ZERO_ADDRESS } from '@switchyard/protocol/ethereum';
import { authorityOf } from '../delegation.ts';
import { delegateOf } from './code.ts';
import type { Context } from './context.ts';
import { MAX_NONCE } from './machine.ts';
import type { Authorization } from './values.ts';

/** Gas that the list charges too much for an account that turns out to exist. */
const REFUND = 12_500;
const NO_CODE = new Uint8Array();

/** EIP-7702: points each signer's account to the code it named. An invalid one is skipped, as the EIP has it. */
export function authorize({ journal }: Context, authorizations: readonly Authorization[], ownChain: bigint): void {
  for (const authorization of authorizations) {
    const { chainId, address, nonce } = authorization;
    if ((chainId !== 0n && chainId !== ownChain) || nonce >= MAX_NONCE) continue;
    const authority = authorityOf(authorization);
    if (authority === undefined) continue;
    const account = journal.account(authority);
    const code = journal.code(account);
    journal.warm(account);
    account.isAccessed = true;
    if ((code.length > 0 && delegateOf(code) === undefined) || account.nonce !== nonce) continue;
    if (account.exists) journal.refund += REFUND;
    journal.setCode(account, address === ZERO_ADDRESS ? NO_CODE : bytesOf(`0xef0100${address.slice(2)}`));
    journal.setNonce(account, nonce + 1n);
  }
}
