import { eoaCode7702RecoverAuthority } from '@ethereumjs/util';
import { bytesOf, hexOf, ZERO_ADDRESS } from '../hex.ts';
import { quantity } from '../rpc/hex.ts';
import type { Address } from '../types.ts';
import type { Authorization } from './evm-message.ts';
import { EMPTY_ACCOUNT, isDelegation, type Machine } from './machine.ts';

/** What the list charges for an account that turns out to exist. */
const REFUND = 12_500n;
const MAX_NONCE = (1n << 64n) - 1n;
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/**
 * Points each signer's account to the code it named. An invalid one is skipped, as the EIP requires.
 *
 * @returns gas to refund.
 */
export function authorize(machine: Machine, authorizations: readonly Authorization[]): bigint {
  const { state, rules, evm } = machine;
  let refund = 0n;
  for (const authorization of authorizations) {
    const { chainId, address, nonce } = authorization;
    if (chainId !== 0n && chainId !== rules.chainId()) continue;
    if (nonce >= MAX_NONCE) continue;
    const authority = authorityOf(authorization);
    if (authority === undefined) continue;
    evm.journal.addAlwaysWarmAddress(authority);
    const existing = state.account(authority);
    const account = existing ?? EMPTY_ACCOUNT;
    const code = state.code(account.codeHash);
    if (code.length > 0 && !isDelegation(code)) continue;
    if (account.nonce !== nonce) continue;
    if (existing !== undefined) refund += REFUND;
    const codeHash =
      address === ZERO_ADDRESS ? EMPTY_ACCOUNT.codeHash : state.putCode(bytesOf(`0xef0100${address.slice(2)}`));
    state.putAccount(authority, { ...account, nonce: nonce + 1n, codeHash });
  }
  return refund;
}

function authorityOf({ chainId, address, nonce, yParity, r, s }: Authorization): Address | undefined {
  if (yParity > 1n || BigInt(s) > HALF_ORDER) return undefined;
  const even = (value: bigint): `0x${string}` => {
    const hex = quantity(value).slice(2);
    return `0x${hex.length % 2 === 0 ? hex : `0${hex}`}`;
  };
  try {
    const parts = [even(chainId), address, even(nonce), even(yParity), r, s] as const;
    const [id, to, count, parity, first, second] = parts.map(bytesOf);
    if (id === undefined || to === undefined || count === undefined || parity === undefined) return undefined;
    if (first === undefined || second === undefined) return undefined;
    return hexOf(eoaCode7702RecoverAuthority([id, to, count, parity, first, second]).bytes);
  } catch {
    // No key signed this.
    return undefined;
  }
}
