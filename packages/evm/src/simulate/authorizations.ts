import type { Common } from '@ethereumjs/common';
import type { EVM } from '@ethereumjs/evm';
import { authorityOf, isDelegation } from '../delegation.ts';
import { bytesOf, hexOf, ZERO_ADDRESS } from '../hex.ts';
import { EMPTY_CODE_HASH, EMPTY_ROOT } from '../state/account.ts';
import type { AccountState, StateWriter } from '../state/state.ts';
import type { Address } from '../types.ts';
import type { Authorization } from './evm-message.ts';

/** EIP-7702: where a message goes to an account that runs another's code, that other is warm. */
export function warmDelegate({ state, evm }: Pick<Authorizing, 'state' | 'evm'>, to: Address | undefined): void {
  const account = to === undefined ? undefined : state.account(to);
  const code = account === undefined ? undefined : state.code(account.codeHash);
  if (code !== undefined && isDelegation(code)) evm.journal.addAlwaysWarmAddress(hexOf(code.subarray(3)));
}

/** What the list charges for an account that turns out to exist. */
const REFUND = 12_500n;
const MAX_NONCE = (1n << 64n) - 1n;

const EMPTY_ACCOUNT: AccountState = { nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH, storageRoot: EMPTY_ROOT };

/** The parts of an interpreter that are needed here. */
interface Authorizing {
  readonly state: StateWriter;
  readonly rules: Pick<Common, 'chainId'>;
  readonly evm: { readonly journal: Pick<EVM['journal'], 'addAlwaysWarmAddress'> };
}

/**
 * Points each signer's account to the code it named. An invalid one is skipped, as the EIP requires.
 *
 * @returns gas to refund.
 */
export function authorize(machine: Authorizing, authorizations: readonly Authorization[]): bigint {
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
