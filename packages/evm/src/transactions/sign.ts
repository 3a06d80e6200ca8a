import type { Address, Authorization, Hash } from '@switchyard/evm-machine/types';
import {
  asList,
  bytesToBigInt,
  decodeRlp,
  encodeRlp,
  hexToBytes,
  keccak256,
  type RlpInput,
} from '@switchyard/protocol/ethereum';
import { secp256k1 } from '@switchyard/protocol/secp256k1';
import type { AccessListItem } from './transaction.ts';

/** A transaction before it is signed. With `gasPrice` it is of type 0, or of type 1 with an access list. */
export interface UnsignedTransaction {
  /** Undefined: a legacy transaction from before EIP-155, valid on every chain. */
  readonly chainId: bigint | undefined;
  readonly nonce: bigint;
  readonly gasLimit: bigint;
  readonly gasPrice?: bigint | undefined;
  readonly maxFeePerGas?: bigint;
  readonly maxPriorityFeePerGas?: bigint;
  /** Undefined: creates a contract. */
  readonly to?: Address | undefined;
  readonly value?: bigint;
  readonly data?: Uint8Array;
  readonly accessList?: readonly AccessListItem[];
  /** Makes it one of type 4. */
  readonly authorizations?: readonly Authorization[];
}

/** EIP-2718 bytes of the signed transaction. @param privateKey 32 bytes. */
export function signTransaction(transaction: UnsignedTransaction, privateKey: Hash): Uint8Array {
  const { chainId, nonce, gasLimit, gasPrice, to, value = 0n, data = EMPTY, accessList } = transaction;
  const key = hexToBytes(privateKey);
  const target = to ?? EMPTY;
  if (gasPrice !== undefined && accessList === undefined) {
    const fields = [nonce, gasPrice, gasLimit, target, value, data];
    const { signature, recid } = sign(encodeRlp(chainId === undefined ? fields : [...fields, chainId, 0n, 0n]), key);
    const v = chainId === undefined ? BigInt(27 + recid) : chainId * 2n + 35n + BigInt(recid);
    return encodeRlp([...fields, v, ...signature]);
  }
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = transaction;
  const fees = gasPrice === undefined ? [maxPriorityFeePerGas, maxFeePerGas] : [gasPrice];
  const list = (accessList ?? []).map(({ address, storageKeys }) => [address, storageKeys]);
  const { authorizations } = transaction;
  const listed = authorizations === undefined ? [list] : [list, authorizations.map(authorizationItems)];
  const fields = [chainId ?? 0n, nonce, ...fees, gasLimit, target, value, data, ...listed];
  const type = gasPrice !== undefined ? 1 : authorizations === undefined ? 2 : 4;
  const { signature, recid } = sign(typed(type, fields), key);
  return typed(type, [...fields, BigInt(recid), ...signature]);
}

function authorizationItems({ chainId, address, nonce, yParity, r, s }: Authorization): RlpInput {
  return [chainId, address, nonce, yParity, BigInt(r), BigInt(s)];
}

/** r and s as numbers, and which of the two points it was. */
export interface RecoverableSignature {
  readonly signature: readonly [r: bigint, s: bigint];
  readonly recid: number;
}

/**
 * EIP-2718 bytes with a signature in place of zeros.
 *
 * @param unsigned As `encodeUnsigned` makes it: any type but 3, whose blobs are elsewhere.
 * @param sign Gets the 32 bytes that are signed.
 */
export function withSignature(
  unsigned: Uint8Array,
  chainId: bigint,
  sign: (digest: Uint8Array) => RecoverableSignature,
): Uint8Array {
  const [type = 0] = unsigned;
  const isLegacy = type >= 0xc0;
  const fields = asList(decodeRlp(isLegacy ? unsigned : unsigned.subarray(1))).slice(0, -3);
  if (isLegacy) {
    const { signature, recid } = sign(keccak256(encodeRlp([...fields, chainId, 0n, 0n])));
    return encodeRlp([...fields, chainId * 2n + 35n + BigInt(recid), ...signature]);
  }
  const { signature, recid } = sign(keccak256(typed(type, fields)));
  return typed(type, [...fields, BigInt(recid), ...signature]);
}

const EMPTY = new Uint8Array();

export function typed(type: number, fields: RlpInput): Uint8Array {
  return Uint8Array.from(Buffer.concat([Uint8Array.of(type), encodeRlp(fields)]));
}

function sign(message: Uint8Array, key: Uint8Array): RecoverableSignature {
  return signDigest(keccak256(message), key);
}

/** Signs with the lower s. @param digest 32 bytes. @param key 32 bytes. */
export function signDigest(digest: Uint8Array, key: Uint8Array): RecoverableSignature {
  const { signature, recid } = secp256k1.ecdsaSign(digest, key);
  return { signature: [bytesToBigInt(signature.subarray(0, 32)), bytesToBigInt(signature.subarray(32))], recid };
}
