import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { Failure, tried } from '@switchyard/service/failure';
import { isLoopbackHost } from '@switchyard/service/input';
import { didYouMean } from '@switchyard/service/settings';
import { type ProgramName, programNamed } from '@switchyard/stack/network';
import { quoted } from '@switchyard/storage/damaged';
import { findCelestia } from '../celestia/binary.ts';
import { isCelestiaLabel } from '../celestia/layout.ts';
import { findCometbft } from '../comet/binary.ts';
import { isCometLabel } from '../comet/layout.ts';
import type { InstancePaths } from '../instance/home.ts';
import type { ServiceEntry } from '../instance/instance.ts';
import { BUILTINS } from './builtin.ts';

/** A program that is fetched once and kept in the instance's `bin/`. */
export interface Download {
  readonly url: string;
  /** 64 hexadecimal digits, lower case; empty if the file does not state them, as in files of the reference. */
  readonly sha256: string;
  /** Holds the unpacked files; exists only when complete. */
  readonly directory: string;
  /** Path of the program inside the archive; empty: it has to be found. */
  readonly inside: string;
  /** Names the program may have when the archive has several. */
  readonly names: readonly string[];
  /** The program; only what it is expected to be until it was downloaded. */
  readonly command: string;
  /** The key of the file that asks for it. */
  readonly where: string;
}

export type Program =
  | { readonly kind: 'builtin'; readonly builtin: ProgramName }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'download'; readonly download: Download };

/** Names the program inside a download's directory. */
export const PROGRAM_NOTE = '.program';

/**
 * Program of a service: `local_path` if it is there, else that of `download_url`, else the program that its label stands for: one
 * of ours, or one found on the path. With a download, a relative `local_path` is the program's place in the archive.
 *
 * @throws {Failure}
 */
export function getProgram(entry: ServiceEntry, paths: InstancePaths, where: string, env: NodeJS.ProcessEnv): Program {
  const { label, localPath, downloadUrl } = entry;
  if (localPath.startsWith('builtin:')) return { kind: 'builtin', builtin: namedBuiltin(localPath, where) };
  const downloads = downloadUrl !== '';
  if (localPath !== '' && (!downloads || (isAbsolute(localPath) && existsSync(localPath)))) {
    checkProgram(localPath, where);
    return { kind: 'file', path: localPath };
  }
  if (downloads) return { kind: 'download', download: toDownload(entry, paths, where) };
  const builtin = programNamed(label);
  if (builtin !== undefined) return { kind: 'builtin', builtin };
  if (isCometLabel(label)) return { kind: 'file', path: findCometbft(paths, env) };
  if (isCelestiaLabel(label)) return { kind: 'file', path: findCelestia(label, paths, env) };
  throw new Failure(`${where}.local_path: is empty: give the absolute path of the program, or a download_url`);
}

function namedBuiltin(localPath: string, where: string): ProgramName {
  const name = localPath.slice('builtin:'.length);
  const builtin = programNamed(name);
  if (builtin !== undefined) return builtin;
  const names = Object.keys(BUILTINS);
  throw new Failure(`${where}.local_path: no builtin ${name}, there is ${names.join(', ')}${didYouMean(name, names)}`);
}

function toDownload(entry: ServiceEntry, paths: InstancePaths, where: string): Download {
  const { name, label, version, downloadUrl: url, sha256, localPath } = entry;
  if (!/^https?:\/\/[^/]/.test(url) || !URL.canParse(url)) {
    throw new Failure(`${where}.download_url: expected an http:// or https:// URL, got ${url}`);
  }
  if (!/^([0-9a-f]{64})?$/.test(sha256)) {
    throw new Failure(
      `${where}.sha256: expected the SHA-256 of the file at download_url, 64 hexadecimal digits, got ${sha256}`,
    );
  }
  const { protocol, hostname } = new URL(url);
  if (sha256 === '' && protocol !== 'https:' && !isLoopbackHost(hostname))
    throw new Failure(`${where}.download_url: expected an https:// URL, or the key sha256 next to it, got ${url}`);
  if (localPath.split('/').includes('..'))
    throw new Failure(`${where}.local_path: leads out of the download: ${localPath}`);
  const file = [name, version, sha256.slice(0, 12) || 'unchecked'].filter((part) => part !== '').join('-');
  const directory = join(paths.directory, 'bin', file.replace(/[^A-Za-z0-9._-]/g, '_'));
  const inside = isAbsolute(localPath) ? '' : localPath;
  const command = join(directory, notedProgram(directory) ?? (inside === '' ? name.replaceAll('/', '_') : inside));
  return { url, sha256, directory, inside, names: [name, label], command, where };
}

/** @returns `undefined` while nothing was downloaded. */
export function notedProgram(directory: string): string | undefined {
  return tried(Error, undefined, () => readFileSync(join(directory, PROGRAM_NOTE), 'utf8'));
}

function checkProgram(path: string, where: string): void {
  if (!isAbsolute(path)) throw new Failure(`${where}.local_path: expected an absolute path, got ${path}`);
  if (!existsSync(path)) throw new Failure(`${where}.local_path: no file ${path}`);
  try {
    accessSync(path, constants.X_OK);
  } catch {
    throw new Failure(`${where}.local_path: ${path} is not executable: \`chmod +x ${quoted(path)}\``);
  }
  if (statSync(path).isDirectory()) throw new Failure(`${where}.local_path: ${path} is a directory, not a program`);
}
