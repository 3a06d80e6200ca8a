import { readFileSync, statSync } from 'node:fs';
import type { Logger } from '../telemetry/log.ts';
import { InvalidConfig } from './config.ts';
import { BadKeyFile, decryptKey, type KeyKind, LONGEST_KEY_FILE, parseKeyFile } from './key-file.ts';

export interface KeyToRead {
  readonly path: string;
  /** Environment variable that names the file. */
  readonly setting: string;
  readonly kind: KeyKind;
  /** Holds the passphrase of an encrypted key. */
  readonly passphraseFile?: string | undefined;
  readonly passphraseSetting: string;
  readonly log: Logger;
}

/**
 * The 32 bytes of a private key that a setting names, from a plain or an encrypted file.
 *
 * @throws {InvalidConfig} naming setting and file. No message has anything of the key or the passphrase.
 */
export function readKey({ path, setting, kind, passphraseFile, passphraseSetting, log }: KeyToRead): Uint8Array {
  const invalid = (got: string, advice = 'write the key to that file, with mode 600, or name another file') =>
    new InvalidConfig({
      variable: setting,
      expected: `a file with a private key (${kind}), 64 hexadecimal digits or encrypted`,
      got: `${path}: ${got}`,
      advice,
    });
  let content: string;
  try {
    const { mode, size, uid } = statSync(path);
    if (size > LONGEST_KEY_FILE) throw new BadKeyFile('a larger file');
    content = readFileSync(path, 'utf8');
    if (isOpenToOthers(mode, [0, uid].includes(process.geteuid?.() ?? uid))) {
      log.warn({ path, mode: (mode & 0o777).toString(8) }, 'the key file can be read by others; chmod 600 fixes that');
    }
  } catch (error) {
    if (error instanceof BadKeyFile) throw invalid(error.message);
    throw invalid(error instanceof Error && 'code' in error ? String(error.code) : 'not readable');
  }
  try {
    const file = parseKeyFile(content);
    if ('secret' in file) return file.secret;
    if (file.encrypted.kind !== kind) throw new BadKeyFile(`a key of ${file.encrypted.kind}`);
    if (passphraseFile === undefined) {
      throw invalid('an encrypted key', `name the file with its passphrase in ${passphraseSetting}`);
    }
    return decryptKey(file.encrypted, readPassphrase(passphraseFile, passphraseSetting));
  } catch (error) {
    if (!(error instanceof BadKeyFile)) throw error;
    throw invalid(error.message);
  }
}

/**
 * Whether others than this process may use a file.
 *
 * A Secret that Kubernetes mounts for the group of a pod belongs to root and has mode 0440: only the group lets the process
 * read it, and only the same pod has that group.
 *
 * @param isOwn The user of this process owns it, or may read everything.
 */
export function isOpenToOthers(mode: number, isOwn: boolean): boolean {
  return (mode & (isOwn ? 0o077 : 0o037)) !== 0;
}

/**
 * The first line of a file that only its owner may read.
 *
 * @throws {InvalidConfig} that holds nothing of the passphrase.
 */
export function readPassphrase(path: string, setting: string): string {
  const invalid = (got: string) =>
    new InvalidConfig({
      variable: setting,
      expected: 'a file of mode 600 with a passphrase in its first line',
      got: `${path}: ${got}`,
      advice: 'chmod 600 that file, or name another one',
    });
  let text: string;
  try {
    const { mode, size } = statSync(path);
    if ((mode & 0o077) !== 0) throw invalid(`mode ${(mode & 0o777).toString(8)}`);
    if (size > LONGEST_KEY_FILE) throw invalid('a larger file');
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof InvalidConfig) throw error;
    throw invalid(error instanceof Error && 'code' in error ? String(error.code) : 'not readable');
  }
  const [passphrase = ''] = text.split(/\r?\n/, 1);
  if (passphrase === '') throw invalid('an empty first line');
  return passphrase;
}
