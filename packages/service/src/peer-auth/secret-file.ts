import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { InvalidConfig } from '../settings/config.ts';
import { type Clock, systemClock } from '../timing/clock.ts';

const MAX_BYTES = 1_024;
const RECHECK_MS = 1_000;
/** Secrets that fit a header and are too long to be guessed. */
const SECRET = /^[\x21-\x7e]{32,512}$/;

/**
 * A secret that two processes share, in a file that only its owner can read. The file is looked at again from time to
 * time, so a new secret counts without a restart; if it has become unusable, the last good one stays.
 */
export class SecretFile {
  readonly path: string;
  readonly #clock: Clock;
  #value: string;
  #version: string;
  #checkedAt: number;

  /** @throws {InvalidConfig} naming the setting and the file. No message has anything of the secret. */
  constructor(path: string, setting: string, clock: Clock = systemClock) {
    this.path = path;
    this.#clock = clock;
    this.#checkedAt = clock.now();
    try {
      [this.#value, this.#version] = readSecret(path);
    } catch (error) {
      throw new InvalidConfig({
        variable: setting,
        expected: 'a file with a secret of 32 to 512 printable characters, which only its owner can read',
        got: `${path}: ${getReason(error)}`,
        advice: 'give both ends the same secret, each in a file of mode 0600',
      });
    }
  }

  /** For a header; never to be logged. */
  reveal(): string {
    const now = this.#clock.now();
    if (now - this.#checkedAt < RECHECK_MS) return this.#value;
    this.#checkedAt = now;
    try {
      [this.#value, this.#version] = readSecret(this.path, this.#version) ?? [this.#value, this.#version];
    } catch {
      // The last good one stays.
    }
    return this.#value;
  }

  toJSON(): string {
    return '[secret]';
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[secret]';
  }
}

/** The text of a new secret. */
export function newSecret(): string {
  return randomBytes(32).toString('hex');
}

function readSecret(path: string): [string, string];
function readSecret(path: string, known: string): [string, string] | undefined;
function readSecret(path: string, known?: string): [string, string] | undefined {
  const file = openSync(path, 'r');
  try {
    const stats = fstatSync(file);
    const version = getVersion(stats);
    if (version === known) return undefined;
    if (!stats.isFile()) throw new Error('it is no file');
    if ((stats.mode & 0o077) !== 0) {
      throw new Error(`others than its owner can use it (mode 0${(stats.mode & 0o777).toString(8)}); chmod 600 it`);
    }
    if (stats.size > MAX_BYTES) throw new Error(`it has ${stats.size} bytes`);
    const value = readFileSync(file, 'utf8').trim();
    if (!SECRET.test(value)) throw new Error('it holds something else');
    return [value, version];
  } finally {
    closeSync(file);
  }
}

function getVersion({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [ino, size, mtimeMs, ctimeMs].join(' ');
}

function getReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error ? String(error.code) : error.message;
}
