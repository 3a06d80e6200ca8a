import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import type { Input, Read } from '../input/input.ts';
import { InvalidData } from '../input/invalid-data.ts';
import { parseInput } from '../input/parse-input.ts';
import { object } from '../input/shapes.ts';

/*
 * Files that hold one private key of 32 bytes: as 64 hex digits, or encrypted.
 *
 * An encrypted file is JSON, version 1: the key under AES-256-GCM with a key that scrypt makes from a passphrase. The part
 * that is readable without it (which curve, the public key, the parameters) is authenticated together with the key.
 */

export type KeyKind = 'ed25519' | 'secp256k1';

export interface EncryptedKey {
  readonly kind: KeyKind;
  /** Hex. */
  readonly publicKey: string;
  readonly scrypt: { readonly n: number; readonly r: number; readonly p: number; readonly salt: string };
  readonly nonce: string;
  /** The key and its tag. */
  readonly ciphertext: string;
}

/** States the fault with a key file, never anything of its content. */
export class BadKeyFile extends Error {
  override readonly name = 'BadKeyFile';
}

const FORMAT = 'switchyard-key';
const VERSION = 1;
/** 128 MiB and about half a second: the cost of a guess. */
const SCRYPT = { n: 131_072, r: 8, p: 1 };
/** A file may ask for more, up to here: another program may have written it. */
const MAX_SCRYPT = { n: 1_048_576, r: 16, p: 4 };
const MAX_MEMORY = 1_100_000_000;
const KEY_BYTES = 32;
const TAG_BYTES = 16;
/** Neither form is nearly as long. */
export const LONGEST_KEY_FILE = 4_096;

/** @param secret 32 bytes. @returns the text of the file. */
export function encryptKey(
  secret: Uint8Array,
  passphrase: string,
  { kind, publicKey, cost = SCRYPT.n }: { readonly kind: KeyKind; readonly publicKey: string; readonly cost?: number },
): string {
  const scrypt = { ...SCRYPT, n: cost, salt: randomBytes(32).toString('hex') };
  const nonce = randomBytes(12).toString('hex');
  const head = { kind, publicKey, scrypt, nonce };
  const cipher = createCipheriv('aes-256-gcm', derive(passphrase, scrypt), Buffer.from(nonce, 'hex'));
  cipher.setAAD(authenticated(head));
  const ciphertext = Buffer.concat([cipher.update(secret), cipher.final(), cipher.getAuthTag()]).toString('hex');
  return `${JSON.stringify({ format: FORMAT, version: VERSION, ...head, ciphertext }, null, 2)}\n`;
}

/** @throws {BadKeyFile} if the passphrase is wrong, or the file was changed. */
export function decryptKey(key: EncryptedKey, passphrase: string): Uint8Array {
  const { scrypt, nonce, ciphertext } = key;
  const bytes = Buffer.from(ciphertext, 'hex');
  const decipher = createDecipheriv('aes-256-gcm', derive(passphrase, scrypt), Buffer.from(nonce, 'hex'));
  decipher.setAAD(authenticated(key));
  decipher.setAuthTag(bytes.subarray(KEY_BYTES));
  try {
    return new Uint8Array(Buffer.concat([decipher.update(bytes.subarray(0, KEY_BYTES)), decipher.final()]));
  } catch {
    throw new BadKeyFile('the passphrase is wrong, or the file is damaged');
  }
}

/**
 * The key itself of a plain file, and of an encrypted one the part that is readable without its passphrase.
 *
 * @throws {BadKeyFile}
 */
export function parseKeyFile(text: string): { readonly secret: Uint8Array } | { readonly encrypted: EncryptedKey } {
  const content = text.trim();
  const hex = content.replace(/^0x/i, '');
  if (/^[0-9a-f]{64}$/i.test(hex)) return { secret: new Uint8Array(Buffer.from(hex, 'hex')) };
  if (!content.startsWith('{')) throw new BadKeyFile('neither 64 hexadecimal digits nor an encrypted key');
  let file: Input;
  try {
    file = parseInput(content, '');
  } catch {
    throw new BadKeyFile('neither 64 hexadecimal digits nor an encrypted key: not JSON');
  }
  return { encrypted: getEncrypted(file) };
}

/** The reader's own messages repeat contents of the file, so only the name of the member is taken from them. */
function getEncrypted(file: Input): EncryptedKey {
  const format = file.at('format').value;
  const version = file.at('version').value;
  if (format !== FORMAT) throw new BadKeyFile('neither 64 hexadecimal digits nor an encrypted key of ours');
  if (version !== VERSION)
    throw new BadKeyFile(`an encrypted key of version ${String(version).slice(0, 20)}, expected ${VERSION}`);
  try {
    return readKeyFile(file);
  } catch (error) {
    const [problem] = error instanceof InvalidData ? error.problems : [];
    if (problem === undefined) throw error;
    throw new BadKeyFile(`an encrypted key whose ${problem.path} is damaged`);
  }
}

function hexText(bytes?: number): Read<string> {
  return (input) => {
    const text = input.text();
    const fits = /^([0-9a-f]{2}){1,65}$/.test(text) && (bytes === undefined || text.length === 2 * bytes);
    return fits ? text : input.fail('hexadecimal digits');
  };
}

const kind: Read<KeyKind> = (input) =>
  input.value === 'ed25519' || input.value === 'secp256k1' ? input.value : input.fail('a curve');

const scrypt: Read<EncryptedKey['scrypt']> = (input) => {
  const { n, r, p } = input.object();
  const fits = isBetween(n, 1_024, MAX_SCRYPT.n) && isBetween(r, 1, MAX_SCRYPT.r) && isBetween(p, 1, MAX_SCRYPT.p);
  if (!fits || !Number.isInteger(Math.log2(n)) || 128 * n * r > MAX_MEMORY) return input.fail('bounded costs');
  return { n, r, p, salt: hexText(32)(input.at('salt')) };
};

const isBetween = (value: unknown, min: number, max: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;

const readKeyFile: Read<EncryptedKey> = object(
  { kind, scrypt, publicKey: hexText(), nonce: hexText(12), ciphertext: hexText(KEY_BYTES + TAG_BYTES) },
  { exact: true },
);

function derive(passphrase: string, { n, r, p, salt }: EncryptedKey['scrypt']): Uint8Array {
  // A passphrase can be typed in two forms of Unicode; both have one NFKC form.
  return scryptSync(passphrase.normalize('NFKC'), Buffer.from(salt, 'hex'), KEY_BYTES, {
    N: n,
    r,
    p,
    maxmem: MAX_MEMORY * 2,
  });
}

/** In one order, regardless of that of the file. */
function authenticated({
  kind,
  publicKey,
  scrypt: { n, r, p, salt },
  nonce,
}: Omit<EncryptedKey, 'ciphertext'>): Buffer {
  return Buffer.from(JSON.stringify([FORMAT, VERSION, kind, publicKey, n, r, p, salt, nonce]));
}
