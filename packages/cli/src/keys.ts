import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { createSigner, parseSeed, Rejected, type Signer } from '@switchyard/protocol';
import { usage } from './failure.ts';
import type { KeyOptions } from './key-options.ts';

/** A key is 64 characters; a larger file is something else. */
const LONGEST_FILE = 4_096;

/**
 * The signer that the user named: by flag, else by environment variable.
 *
 * @throws {Failure} that never shows anything of a key.
 */
export function signerOf(options: KeyOptions, env: NodeJS.ProcessEnv, variables: readonly string[]): Signer {
  if (options.privateKey !== undefined && options.privateKeyFile !== undefined) {
    throw usage('the signing key: expected --private-key or --private-key-file, got both');
  }
  if (options.privateKeyFile !== undefined) {
    return signer(readKeyFile(options.privateKeyFile), options.privateKeyFile);
  }
  if (options.privateKey !== undefined) return signer(options.privateKey, '--private-key');
  for (const name of variables) {
    const value = env[name];
    if (value !== undefined && value !== '') return signer(value, name);
  }
  throw usage(
    `no signing key: give --private-key-file PATH, or ${variables.join(' or ')} in the environment, or --private-key HEX`,
  );
}

function signer(hex: string, where: string): Signer {
  try {
    return createSigner(parseSeed(hex.trim().replace(/^0x/, '')));
  } catch (error) {
    if (!(error instanceof Rejected)) throw error;
    throw usage(`${where}: expected a key of 64 hex digits, got ${String(error.facts.got)}`);
  }
}

function readKeyFile(path: string): string {
  const file = path.replace(/^~(?=$|\/)/, homedir());
  try {
    if (statSync(file).size > LONGEST_FILE) throw usage(`${path}: expected a key of 64 hex digits, got a larger file`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    throw usage(`${path}: the key cannot be read: ${String(error.code)}`);
  }
}
