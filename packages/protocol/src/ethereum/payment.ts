import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToBigInt, type Hex } from './hex.ts';
import { keccak256, keccakHex } from './keccak.ts';
import { encodeRlp, type RlpInput } from './rlp.ts';

/** A transfer of native coins. Fees are in wei for each unit of gas. */
export interface EthereumPayment {
  readonly chainId: bigint;
  readonly nonce: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly maxFeePerGas: bigint;
  readonly gasLimit: bigint;
  readonly to: Hex;
  /** Wei. */
  readonly value: bigint;
}

const TYPE = 2;

/** Bytes of a signed transaction of type 2 (EIP-1559), and its hash. @param key 32 bytes. */
export function signEthereumPayment(payment: EthereumPayment, key: Uint8Array): { bytes: Uint8Array; hash: Hex } {
  const { chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gasLimit, to, value } = payment;
  const fields = [chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gasLimit, to, value, '0x' as const, []];
  const signed = secp256k1.sign(keccak256(typed(fields)), key, { prehash: false, format: 'recovered' });
  const [parity = 0] = signed;
  const bytes = typed([...fields, BigInt(parity), bytesToBigInt(signed, 1, 33), bytesToBigInt(signed, 33)]);
  return { bytes, hash: keccakHex(bytes) };
}

function typed(fields: readonly RlpInput[]): Uint8Array {
  return Uint8Array.from([TYPE, ...encodeRlp(fields)]);
}
