import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { createSigner, isDevelopmentKey, parseSeed, type Signer } from '@switchyard/protocol/signer';
import { Rejected } from '@switchyard/protocol/values';
import { usage } from '@switchyard/service/failure';
import { isLoopbackHost } from '@switchyard/service/input';
import { BadKeyFile, decryptKey, type KeyKind, LONGEST_KEY_FILE, parseKeyFile } from '@switchyard/service/key-file';
import type { World } from './cli.ts';
import type { KeyOptions } from './key-options.ts';
import { askPassphrase } from './passphrase.ts';

/** A signer, and whether everybody has its key. */
export interface NamedSigner extends Signer {
  readonly isPublished: boolean;
}

/** 32 bytes, and whether everybody has them. */
export interface NamedSecret {
  readonly secret: Uint8Array;
  readonly isPublished: boolean;
}

/**
 * The signer that the user named: by flag, else by environment variable.
 *
 * @throws {Failure} that never shows anything of a key.
 */
export async function getSigner(
  options: KeyOptions,
  world: Pick<World, 'env' | 'askSecret'> & Partial<World>,
  variables: readonly string[],
): Promise<NamedSigner> {
  const { secret, isPublished } = await secretFor('ed25519', options, world, variables);
  return { ...createSigner(secret), isPublished };
}

/** The options that a key is named with, if a command takes several or has no text option. */
export interface KeyFlags {
  readonly file: string;
  /** Takes the key itself. */
  readonly text?: string;
}

const USUAL_FLAGS: KeyFlags = { file: '--private-key-file', text: '--private-key' };

/**
 * The key that the user named, of either kind.
 *
 * @throws {Failure}
 */
export async function secretFor(
  kind: KeyKind,
  options: KeyOptions,
  world: Pick<World, 'env' | 'askSecret'> & Partial<World>,
  variables: readonly string[],
  { file, text }: KeyFlags = USUAL_FLAGS,
): Promise<NamedSecret> {
  if (options.privateKey !== undefined && options.privateKeyFile !== undefined) {
    throw usage(`the signing key: expected ${text} or ${file}, got both`);
  }
  if (options.privateKeyFile !== undefined) {
    return named(await readSecret(options.privateKeyFile, kind, options, world as World));
  }
  if (options.privateKey !== undefined) return named(getSecret(options.privateKey, text ?? file));
  for (const name of variables) {
    const value = world.env[name];
    if (value !== undefined && value !== '') return named(getSecret(value, name));
  }
  const asText = text === undefined ? '' : `, or ${text} HEX`;
  throw usage(`no signing key: give ${file} PATH, or ${variables.join(' or ')} in the environment${asText}`);
}

/**
 * The 32 bytes in a key file, plain or encrypted.
 *
 * @throws {Failure}
 */
export async function readSecret(path: string, kind: KeyKind, options: KeyOptions, world: World): Promise<Uint8Array> {
  try {
    const file = parseKeyFile(readKeyFile(path));
    if ('secret' in file) return file.secret;
    if (file.encrypted.kind !== kind)
      throw usage(`${path}: expected a key of ${kind}, got one of ${file.encrypted.kind}`);
    return decryptKey(file.encrypted, await askPassphrase(options, world, path));
  } catch (error) {
    if (!(error instanceof BadKeyFile)) throw error;
    throw usage(`${path}: expected a key of 64 hex digits or an encrypted one, got ${error.message}`);
  }
}

/** The text of a key file. @throws {Failure} */
export function readKeyFile(path: string): string {
  const file = path.replace(/^~(?=$|\/)/, homedir());
  try {
    if (statSync(file).size > LONGEST_KEY_FILE)
      throw usage(`${path}: expected a key of 64 hex digits, got a larger file`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    throw usage(`${path}: the key cannot be read: ${String(error.code)}`);
  }
}

/** Keys that everybody has sign for local networks only. @throws {Failure} */
export function mustBeLocal(
  { isPublished }: Pick<NamedSigner, 'isPublished'>,
  url: string,
  { allowDevKey }: KeyOptions,
): void {
  if (!isPublished || allowDevKey === true || isLoopbackHost(new URL(url).hostname)) return;
  throw usage(
    `the signing key is a published development key, and ${url} is not local: everyone who knows the key can spend its funds; use a key of your own (\`switchyard keys new\`), or say --allow-dev-key`,
  );
}

function named(secret: Uint8Array): NamedSecret {
  return { secret, isPublished: isDevelopmentKey(secret) };
}

function getSecret(hex: string, where: string): Uint8Array {
  try {
    return parseSeed(hex.trim().replace(/^0x/, ''));
  } catch (error) {
    if (!(error instanceof Rejected)) throw error;
    throw usage(`${where}: expected a key of 64 hex digits, got ${String(error.facts.got)}`);
  }
}
