import { parseInput } from '@switchyard/client/rollup';
import { accountIdFromPublicKey, formatAddress, fromHex, toHex } from '@switchyard/protocol';
import { getEd25519, SEED_LENGTH } from './ed25519.ts';

/** A key file that cannot be read, and why. */
export class BadKeyFile extends Error {}

const FORMAT = 'switchyard-key-1';
const ITERATIONS = 600_000;
/** Bound for files from elsewhere: more would keep the page busy for minutes. */
const MAX_ITERATIONS = 5_000_000;
const MAX_FILE_LENGTH = 4_096;

/**
 * The seed as 64 hex digits, as the command lines read it; with a passphrase, encrypted with AES-256-GCM under a key
 * from PBKDF2.
 */
export async function encodeKeyFile(seed: Uint8Array, passphrase: string): Promise<string> {
  if (passphrase === '') return `${toHex(seed)}\n`;
  const salt = crypto.getRandomValues(new Uint8Array(16));
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const key = await getKey(passphrase, salt, ITERATIONS);
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, Uint8Array.from(seed));
  const address = formatAddress(accountIdFromPublicKey((await getEd25519(seed)).publicKey));
  const parts = { salt: toHex(salt), iv: toHex(iv), sealed: toHex(new Uint8Array(sealed)) };
  return `${JSON.stringify({ format: FORMAT, address, iterations: ITERATIONS, ...parts }, undefined, 2)}\n`;
}

/** Whether a passphrase is needed to read it. */
export const isEncrypted = (file: string): boolean => file.trimStart().startsWith('{');

/** @throws {BadKeyFile} */
export async function decodeKeyFile(file: string, passphrase: string): Promise<Uint8Array> {
  if (file.length > MAX_FILE_LENGTH) throw new BadKeyFile('this is no key file: it is too long');
  if (!isEncrypted(file)) {
    if (/^[0-9a-fA-F]{64}$/.test(file.trim())) return fromHex(file.trim());
    throw new BadKeyFile('a key is 64 hexadecimal digits, or an encrypted key file of this page');
  }
  if (passphrase === '') throw new BadKeyFile('this key is encrypted: enter its passphrase');
  const { salt, iv, sealed, iterations } = getParts(file);
  const key = await getKey(passphrase, salt, iterations);
  const opened = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, sealed).catch(() => undefined);
  if (opened?.byteLength !== SEED_LENGTH) throw new BadKeyFile('the passphrase is wrong, or the file was changed');
  return new Uint8Array(opened);
}

function getParts(file: string) {
  try {
    const input = parseInput(file, 'key file');
    const bytes = (name: string) => Uint8Array.from(fromHex(input.at(name).text()));
    const iterations = input.at('iterations').integer();
    if (input.at('format').text() !== FORMAT || iterations < 1 || iterations > MAX_ITERATIONS) throw new Error();
    return { salt: bytes('salt'), iv: bytes('iv'), sealed: bytes('sealed'), iterations };
  } catch {
    throw new BadKeyFile(`this is no key file of the format ${FORMAT}`);
  }
}

async function getKey(passphrase: string, salt: Uint8Array<ArrayBuffer>, iterations: number): Promise<CryptoKey> {
  const secret = new TextEncoder().encode(passphrase.normalize('NFKC'));
  const base = await crypto.subtle.importKey('raw', secret, 'PBKDF2', false, ['deriveKey']);
  const derivation = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations };
  return crypto.subtle.deriveKey(derivation, base, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
}
