import { createECDH, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  accountIdFromPublicKey,
  createSigner,
  formatAddress,
  fromHex,
  isDevelopmentKey,
  toHex,
} from '@switchyard/protocol';
import { BadKeyFile, type KeyKind, parseKeyFile } from '@switchyard/service';
import { Failure, usage } from '@switchyard/service/failure';
import { systemReason } from '../../dev/files/files.ts';
import { isName } from '../../dev/instance/home.ts';

/** Facts about a stored key that are readable without its passphrase. */
export interface StoredKey {
  readonly name: string;
  readonly path: string;
  readonly kind?: KeyKind;
  readonly publicKey?: string;
  /** On the sequencer; for ed25519. */
  readonly address?: string;
  readonly isEncrypted: boolean;
  /** It is in a repository: everybody has it. */
  readonly isDevelopment: boolean;
  /** Why the file is no key. */
  readonly problem?: string;
}

export function getPath(directory: string, name: string): string {
  if (!isName(name))
    throw usage(`the name of a key: expected lower-case letters, digits and single hyphens, got ${name}`);
  return join(directory, `${name}.json`);
}

/** @throws {Failure} if the curve has no such key. */
export function getPublicKey(kind: KeyKind, secret: Uint8Array): string {
  if (kind === 'ed25519') return toHex(createSigner(secret).publicKey);
  const curve = createECDH('secp256k1');
  try {
    curve.setPrivateKey(secret);
  } catch {
    throw usage('the key is not one of secp256k1: its number is out of range');
  }
  return curve.getPublicKey('hex', 'compressed');
}

export function getAddress(kind: KeyKind, publicKey: string): { readonly address?: string } {
  return kind === 'ed25519' ? { address: formatAddress(accountIdFromPublicKey(fromHex(publicKey))) } : {};
}

/** A key that the curve has. */
export function randomSecret(kind: KeyKind): Uint8Array {
  for (;;) {
    const secret = new Uint8Array(randomBytes(32));
    if (kind === 'ed25519') return secret;
    try {
      getPublicKey(kind, secret);
      return secret;
    } catch {
      // One in 2^127: another one.
    }
  }
}

/** Writes a new file that only its owner can read. @throws {Failure} if it exists. */
export function writeNewKey(path: string, text: string, directory?: string): void {
  try {
    if (directory !== undefined) mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const reason = existsSync(path) ? 'the file exists already' : systemReason(error);
    throw new Failure(`${path}: cannot be written: ${reason}`, error);
  }
}

export function storedKeys(directory: string): StoredKey[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((file) => file.endsWith('.json') && isName(file.slice(0, -'.json'.length)))
    .sort()
    .map((file) => describe(file.slice(0, -'.json'.length), join(directory, file)));
}

function describe(name: string, path: string): StoredKey {
  try {
    const file = parseKeyFile(readFileSync(path, 'utf8'));
    // Which curve a plain key is for is not written there.
    if ('secret' in file) return { name, path, isEncrypted: false, isDevelopment: isDevelopmentKey(file.secret) };
    const { kind, publicKey } = file.encrypted;
    return { name, path, kind, publicKey, ...getAddress(kind, publicKey), isEncrypted: true, isDevelopment: false };
  } catch (error) {
    const problem = error instanceof BadKeyFile ? error.message : systemReason(error);
    return { name, path, isEncrypted: false, isDevelopment: false, problem };
  }
}
