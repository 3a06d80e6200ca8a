import { encodeRlp, hexToBytes, keccak256 } from '@switchyard/protocol/ethereum';
import type { Address, Authorization } from '../types.ts';
import { recoverSender } from './recover.ts';

/* EIP-7702: accounts that run the code of another. */

const DELEGATION_LENGTH = 23;

/** Whether code does no more than point to another account's. */
export function isDelegation(code: Uint8Array, length = code.length): boolean {
  return length === DELEGATION_LENGTH && code[0] === 0xef && code[1] === 0x01 && code[2] === 0x00;
}

/** Half of the order of secp256k1. */
const HALF_ORDER = '0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0';

/** Account that signed the authorization; undefined if the signature is not valid. */
export function findAuthority({ chainId, address, nonce, yParity, r, s }: Authorization): Address | undefined {
  // Hex of one length compares like the numbers do.
  if (yParity > 1n || s > HALF_ORDER) return undefined;
  const message = Buffer.concat([Uint8Array.of(5), encodeRlp([chainId, address, nonce])]);
  return recoverSender({
    r: hexToBytes(r),
    s: hexToBytes(s),
    yParity: yParity === 0n ? 0 : 1,
    digest: keccak256(message),
  });
}
