import { hexToBytes, ZERO_ADDRESS } from '@switchyard/protocol/ethereum';
import { findAuthority } from '../signatures/delegation.ts';
import type { Address, Authorization } from '../types.ts';
import { findDelegate } from './code.ts';
import type { Context } from './context.ts';
import { type Account, isEmpty } from './journal.ts';
import { MAX_NONCE } from './limits.ts';
import { ACCOUNT_WRITE } from './rules.ts';
import type { Payer } from './state-gas.ts';
import type { Message } from './values.ts';

/** Gas that the list charges too much for an account that turns out to exist. */
const REFUND = 12_500;
const NO_CODE = new Uint8Array();

/** A change that a valid authorization is about to make. */
interface Change {
  readonly account: Account;
  /** Account whose code is to run. */
  readonly address: Address;
  /** Whether another's code runs so far. */
  readonly isDelegated: boolean;
}

/**
 * EIP-7702: points each signer's account to the code it named. An invalid one is skipped, as the EIP has it.
 *
 * @param pay Asked before each change. @returns False as soon as one cannot be paid for.
 */
export function authorize(
  { journal }: Context,
  authorizations: readonly Authorization[],
  ownChain: bigint,
  pay: (change: Change) => boolean,
): boolean {
  for (const authorization of authorizations) {
    const { chainId, address, nonce } = authorization;
    if ((chainId !== 0n && chainId !== ownChain) || nonce >= MAX_NONCE) continue;
    const authority = findAuthority(authorization);
    if (authority === undefined) continue;
    const account = journal.account(authority);
    const code = journal.code(account);
    journal.warm(account);
    account.isAccessed = true;
    const isDelegated = findDelegate(code) !== undefined;
    if ((code.length > 0 && !isDelegated) || account.nonce !== nonce) continue;
    if (!pay({ account, address, isDelegated })) return false;
    journal.setCode(account, address === ZERO_ADDRESS ? NO_CODE : hexToBytes(`0xef0100${address.slice(2)}`));
    journal.setNonce(account, nonce + 1n);
  }
  return true;
}

/** Before Amsterdam all is paid for already, as if no account existed. */
export function refundKnown({ journal }: Context): (change: Change) => boolean {
  return ({ account }) => {
    if (account.exists) journal.refund += REFUND;
    return true;
  };
}

/** EIP-2780: each account pays once for being written, unless the transaction does, and once for the code that it points to. */
export function payAsNeeded(
  { rules, stateGas }: Context,
  { from, to, value }: Pick<Message, 'from' | 'to' | 'value'>,
  payer: Payer,
): (change: Change) => boolean {
  const written = new Set<Address>([from]);
  if (to !== undefined && value > 0n) written.add(to);
  const covered = new Map<Address, boolean>();
  return ({ account, address, isDelegated }) => {
    const { address: authority } = account;
    const write = written.has(authority) ? 0 : ACCOUNT_WRITE;
    written.add(authority);
    const isCovered = covered.get(authority) ?? isDelegated;
    const isDelegation = address !== ZERO_ADDRESS;
    covered.set(authority, isCovered || isDelegation);
    const growth =
      (isEmpty(account) ? rules.stateGas.account : 0) + (isDelegation && !isCovered ? rules.stateGas.delegation : 0);
    if (write > payer.gas) return false;
    payer.gas -= write;
    return stateGas.charge(payer, growth);
  };
}
