import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { InvalidConfig } from '../settings/config.ts';

/** Paths of PEM files, each with the setting that names it. */
export interface TlsFiles {
  readonly cert: TlsFile;
  readonly key: TlsFile;
  /** Certificates of the authorities that sign the other end's certificate. */
  readonly ca: TlsFile;
}

export interface TlsFile {
  readonly path: string | undefined;
  readonly setting: string;
}

export interface TlsMaterial {
  readonly cert?: Buffer;
  readonly key?: Buffer;
  readonly ca?: Buffer;
}

/**
 * Reads and checks certificate, key and authorities.
 *
 * @returns undefined if no file is named.
 * @throws {InvalidConfig} naming the settings. No message has anything of the key.
 */
export function readTls({ cert, key, ca }: TlsFiles): TlsMaterial | undefined {
  if (cert.path === undefined && key.path === undefined && ca.path === undefined) return undefined;
  if ((cert.path === undefined) !== (key.path === undefined)) {
    const [missing, given] = cert.path === undefined ? [cert, key] : [key, cert];
    throw invalid(missing.setting, `a file, since ${given.setting} names one`, 'nothing');
  }
  const material = {
    ...(cert.path !== undefined && { cert: pem(cert, cert.path) }),
    ...(key.path !== undefined && { key: pem(key, key.path, true) }),
    ...(ca.path !== undefined && { ca: pem(ca, ca.path) }),
  };
  try {
    createSecureContext(material);
  } catch (error) {
    const settings = [cert, key, ca].filter(({ path }) => path !== undefined).map(({ setting }) => setting);
    throw invalid(settings.join(', '), 'a certificate, its key and authorities in PEM', getCode(error));
  }
  return material;
}

function pem({ setting }: TlsFile, path: string, isSecret = false): Buffer {
  try {
    const { mode, size } = statSync(path);
    if (isSecret && (mode & 0o077) !== 0) {
      throw new Error(`others than its owner can use it (mode 0${(mode & 0o777).toString(8)}); chmod 600 it`);
    }
    if (size > 1_048_576) throw new Error(`it has ${size} bytes`);
    return readFileSync(path);
  } catch (error) {
    throw invalid(setting, 'a PEM file that can be read', `${path}: ${getCode(error)}`);
  }
}

function getCode(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error ? String(error.code) : error.message;
}

function invalid(variable: string, expected: string, got: string): InvalidConfig {
  return new InvalidConfig({ variable, expected, got, advice: 'correct it, or unset all of them' });
}
