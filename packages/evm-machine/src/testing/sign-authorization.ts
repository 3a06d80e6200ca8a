import { bytesToHex, encodeRlp, hexToBytes, keccak256 } from '@switchyard/protocol/ethereum';
import { secp256k1 } from '@switchyard/protocol/secp256k1';
import type { Authorization, Hash } from '../types.ts';

/** EIP-7702. @param privateKey Of the account that is to run the code of `address`. */
export function signAuthorization(
  { chainId, address, nonce }: Pick<Authorization, 'chainId' | 'address' | 'nonce'>,
  privateKey: Hash,
): Authorization {
  const message = Buffer.concat([Uint8Array.of(5), encodeRlp([chainId, address, nonce])]);
  const { signature, recid } = secp256k1.ecdsaSign(keccak256(message), hexToBytes(privateKey));
  const [r, s] = [bytesToHex(signature.subarray(0, 32)), bytesToHex(signature.subarray(32))];
  return { chainId, address, nonce, yParity: BigInt(recid), r, s };
}
