import { createECDH, createHmac, pbkdf2Sync } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { addressOfKey, bytesToHex } from '@switchyard/protocol/ethereum';
import { parser, type Schema } from '@switchyard/service/input';
import { DEV_MNEMONIC, type DevAccount } from '../genesis/development-accounts.ts';

/** Words of BIP-39 in one line, each separated by one space. */
export const mnemonic: Schema<string> = parser(
  '12, 15, 18, 21 or 24 English words of BIP-39, the last of which completes the checksum',
  DEV_MNEMONIC,
  (text) => {
    const words = text.trim().toLowerCase().split(/\s+/).join(' ');
    return validateMnemonic(words, wordlist) ? words : undefined;
  },
);

/** BIP-39: iterations of PBKDF2, and the length of the seed in bytes. */
const ITERATIONS = 2_048;
const SEED_BYTES = 64;
/** BIP-32: added to the number of a child that is derived from the private key. */
const HARDENED = 0x8000_0000;
/** BIP-44: purpose, coin type of Ethereum, account and change. */
const PATH = [44 + HARDENED, 60 + HARDENED, HARDENED, 0];

/** Accounts 0 to `count` - 1 of these words at m/44'/60'/0'/0. */
export function getAccounts(words: string, count: number): readonly DevAccount[] {
  const seed = pbkdf2Sync(words, 'mnemonic', ITERATIONS, SEED_BYTES, 'sha512');
  const parent = PATH.reduce(child, extended('Bitcoin seed', seed));
  return Array.from({ length: count }, (_, index) => {
    const { key } = child(parent, index);
    return { address: addressOfKey(key), privateKey: bytesToHex(key) };
  });
}

/** A private key of BIP-32 with its chain code, 32 bytes each. */
interface ExtendedKey {
  readonly key: Uint8Array;
  readonly chainCode: Uint8Array;
}

function extended(hmacKey: string | Uint8Array, data: Uint8Array): ExtendedKey {
  const bytes = createHmac('sha512', hmacKey).update(data).digest();
  return { key: bytes.subarray(0, 32), chainCode: bytes.subarray(32) };
}

function child({ key, chainCode }: ExtendedKey, index: number): ExtendedKey {
  const data = Buffer.alloc(37);
  data.set(index >= HARDENED ? key : getPublicKey(key), index >= HARDENED ? 1 : 0);
  data.writeUInt32BE(index, 33);
  const tweak = extended(chainCode, data);
  // Sums of 0 and tweaks beyond the order, at which BIP-32 takes the next index, have a chance of 2^-127.
  const { ORDER } = secp256k1.Point.Fn;
  const sum = (BigInt(bytesToHex(tweak.key)) + BigInt(bytesToHex(key))) % ORDER;
  return { ...tweak, key: Buffer.from(sum.toString(16).padStart(64, '0'), 'hex') };
}

/** 33 bytes. */
function getPublicKey(key: Uint8Array): Uint8Array {
  const curve = createECDH('secp256k1');
  curve.setPrivateKey(key);
  return Buffer.from(curve.getPublicKey('hex', 'compressed'), 'hex');
}
