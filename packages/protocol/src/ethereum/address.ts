import { createECDH } from 'node:crypto';
import { bytesToHex, type Hex } from './hex.ts';
import { keccak256, keccakHex } from './keccak.ts';

/** The account of a private key of 32 bytes. @throws if secp256k1 has no such key. */
export function addressOfKey(secret: Uint8Array): Hex {
  const curve = createECDH('secp256k1');
  curve.setPrivateKey(secret);
  return bytesToHex(keccak256(new Uint8Array(curve.getPublicKey()).subarray(1)).subarray(12));
}

/** 20 bytes in hex, `0x` or not. Mixed case is a checksum (EIP-55) and must be right. */
export function parseEthereumAddress(text: string): Hex | undefined {
  const digits = /^(?:0x)?([0-9a-fA-F]{40})$/.exec(text)?.[1];
  if (digits === undefined) return undefined;
  const lower = digits.toLowerCase();
  const isChecksummed = digits !== lower && digits !== digits.toUpperCase();
  return isChecksummed && checksummed(lower) !== `0x${digits}` ? undefined : `0x${lower}`;
}

/** The address with `0x` and the capitals of EIP-55. @param address 40 lower-case digits, after `0x` or not. */
export function checksummed(address: string): Hex {
  const digits = address.slice(-40);
  const hash = keccakHex(Buffer.from(digits, 'latin1')).slice(2);
  const cased = [...digits].map((digit, at) => ((hash[at] ?? '0') >= '8' ? digit.toUpperCase() : digit));
  return `0x${cased.join('')}`;
}
