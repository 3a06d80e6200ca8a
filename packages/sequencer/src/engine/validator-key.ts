import { readFileSync, statSync } from 'node:fs';
import { createSigner, type Signer } from '@switchyard/protocol';
import { InvalidConfig } from '@switchyard/service';
import { type Input, parseInput } from '@switchyard/service/input';
import type { EngineLog } from './engine.ts';

export const ED25519_PUBLIC_KEY = 'tendermint/PubKeyEd25519';
const ED25519_PRIVATE_KEY = 'tendermint/PrivKeyEd25519';

/** Reads the key file and warns if others may read it too. */
export function readValidatorKey(file: string, log: EngineLog): Signer {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
    const mode = statSync(file).mode & 0o777;
    if ((mode & 0o077) !== 0) {
      log.warn({ file, mode: mode.toString(8) }, 'validator key can be read by others, run chmod 600 on it');
    }
  } catch (error) {
    throw invalid(file, error instanceof Error ? error.message : String(error));
  }
  return parseValidatorKey(text, file);
}

/**
 * Reads a CometBFT `priv_validator_key.json`.
 *
 * @param file Source of the text, for the messages, which never hold any of it.
 * @throws {InvalidConfig}
 */
export function parseValidatorKey(text: string, file: string): Signer {
  let document: Input;
  try {
    document = parseInput(text, '');
  } catch {
    throw invalid(file, 'not JSON');
  }
  const secret = keyBytes(document, 'priv_key', ED25519_PRIVATE_KEY, 64, file);
  const signer = createSigner(secret.subarray(0, 32));
  if (Buffer.compare(signer.publicKey, secret.subarray(32)) !== 0) {
    throw invalid(file, 'the two halves of priv_key do not belong together');
  }
  if (valueAt(document, 'pub_key') !== undefined) {
    const publicKey = keyBytes(document, 'pub_key', ED25519_PUBLIC_KEY, 32, file);
    if (Buffer.compare(signer.publicKey, publicKey) !== 0) throw invalid(file, 'pub_key does not belong to priv_key');
  }
  const address = signer.account.toUpperCase();
  const written = valueAt(document, 'address');
  if (written !== undefined && written !== address)
    throw invalid(file, `address does not belong to priv_key, which has ${address}`);
  return signer;
}

/** Messages about this file hold none of its contents, so the reader's own are not used. */
function keyBytes(document: Input, name: string, type: string, length: number, file: string): Uint8Array {
  const value = valueAt(document, name, 'value');
  if (valueAt(document, name, 'type') !== type || typeof value !== 'string')
    throw invalid(file, `${name} is not of type ${type}`);
  const bytes = Buffer.from(value, 'base64');
  if (bytes.length !== length) throw invalid(file, `${name} is not ${length} bytes in base64`);
  return new Uint8Array(bytes);
}

function valueAt(document: Input, ...names: readonly string[]): unknown {
  let input = document;
  for (const name of names) {
    if (!input.isObject) return undefined;
    input = input.at(name);
  }
  return input.value;
}

function invalid(file: string, message: string): InvalidConfig {
  return new InvalidConfig({
    variable: file,
    expected: `a CometBFT priv_validator_key.json (${message})`,
    advice: 'point the setting at the right file',
  });
}
