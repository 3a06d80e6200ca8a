import { encodeRlp } from '../blocks/rlp.ts';
import { bytesOf, hexOf, ZERO_ADDRESS } from '../hex.ts';
import { keccak256 } from '../keccak.ts';
import { secp256k1 } from '../secp256k1.ts';
import type { Address } from '../types.ts';
import { delegateOf } from './code.ts';
import type { Context } from './context.ts';
import { MAX_NONCE } from './machine.ts';
import type { Authorization } from './values.ts';

/** What the list charges too much for an account that turns out to exist. */
const REFUND = 12_500;
const MAGIC = Uint8Array.of(0x05);
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
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
    if ((code.length > 0 && delegateOf(code) === undefined) || account.nonce !== nonce) continue;
    if (account.exists) journal.refund += REFUND;
    journal.setCode(account, address === ZERO_ADDRESS ? NO_CODE : bytesOf(`0xef0100${address.slice(2)}`));
    journal.setNonce(account, nonce + 1n);
  }
}

/** Who signed it; undefined where no key did. */
export function authorityOf({ chainId, address, nonce, yParity, r, s }: Authorization): Address | undefined {
  if (yParity > 1n || BigInt(s) > HALF_ORDER) return undefined;
  const digest = keccak256(Buffer.concat([MAGIC, encodeRlp([chainId, address, nonce])]));
  const signature = Buffer.concat([bytesOf(r), bytesOf(s)]);
  try {
    const key = secp256k1.ecdsaRecover(signature, Number(yParity), digest, false);
    return hexOf(keccak256(key.subarray(1)).subarray(12));
  } catch {
    // These numbers name no point of the curve.
    return undefined;
  }
}
