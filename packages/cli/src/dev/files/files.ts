import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Failure, tried } from '@switchyard/service/failure';
import { withoutMark } from '@switchyard/service/input';

/*
 * File system calls whose failures are lines for a person: which file, which operation, the system's reason.
 */

/** @throws {Failure} */
export function readText(path: string): string {
  return attempt(path, 'read', () => readFileSync(path, 'utf8'));
}

/** @throws {Failure} */
export function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(withoutMark(text));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure(`${path}: not valid JSON: ${reason}`, error);
  }
}

/** A file that is written if missing. */
export interface NewFile {
  readonly path: string;
  /** Called once the files before it are there. */
  text(): string;
  readonly mode?: number;
}

/** Writes those of the files that are absent, in their order. @returns their paths. @throws {Failure} */
export function writeAbsent(files: readonly NewFile[]): string[] {
  return files.flatMap(({ path, text, mode = 0o644 }) => {
    if (existsSync(path)) return [];
    writeNewFile(path, text(), mode);
    return [path];
  });
}

/** @throws {Failure} also when the file exists. */
export function writeNewFile(path: string, text: string, mode: number): void {
  attempt(path, 'written', () => writeFileSync(path, text, { mode, flag: 'wx' }));
}

/**
 * A file of this name has its whole text as soon as it exists.
 *
 * @param step Advice to the user if it exists.
 * @throws {Failure} also when the file exists.
 */
export function writeWhole(path: string, text: string, mode: number, step: string): void {
  const temporary = `${path}.new-${process.pid}`;
  try {
    attempt(path, 'written', () => writeFileSync(temporary, text, { mode, flag: 'wx' }));
    try {
      // Unlike a rename, it fails if the name is taken.
      linkSync(temporary, path);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'EEXIST') throw new Failure(`${path}: is there already: ${step}`, error);
      // Some file systems have no links.
      attempt(path, 'written', () => copyFileSync(temporary, path, constants.COPYFILE_EXCL));
    }
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** The file has the new text or the old one, despite interruptions. @throws {Failure} */
export function replaceFile(path: string, text: string, mode: number): void {
  attempt(path, 'written', () => {
    writeFileSync(`${path}.new`, text, { mode });
    renameSync(`${path}.new`, path);
  });
}

/**
 * Makes a file or directory that exists whole or not at all: in a directory next to its destination, from which it is moved.
 *
 * @param make Makes it, and returns its path. @throws {Failure}
 */
export async function makeWhole(path: string, make: (work: string) => Promise<string> | string, signal?: AbortSignal) {
  let work: string | undefined;
  try {
    makeDirectory(dirname(path));
    work = mkdtempSync(join(dirname(path), '.making-'));
    renameSync(await make(work), path);
  } catch (error) {
    if (error instanceof Failure || signal?.aborted) throw error;
    throw new Failure(`${path}: cannot be written: ${systemReason(error)}`, error);
  } finally {
    if (work !== undefined) rmSync(work, { recursive: true, force: true });
  }
}

/** Bytes of a file. @throws {Failure} */
export function sizeOfFile(path: string): number {
  return attempt(path, 'read', () => statSync(path).size);
}

/** Whether a path is a program that this user may run. */
export function isExecutable(path: string): boolean {
  return tried(Error, false, () => {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  });
}

/** A file's next text. */
export interface Replacement {
  readonly path: string;
  readonly text: string;
  /** Mode of a new file; without it, the file is there and keeps its own. */
  readonly mode?: number;
}

/**
 * All files have their new texts, or all have the old ones: every new text is on the disk before the first file is
 * replaced, and files replaced or made before a failure are put back.
 *
 * @throws {Failure} when one of them cannot be written.
 */
export function replaceFiles(replacements: readonly Replacement[]): void {
  const files = replacements.map(({ path, text, mode }) => {
    if (mode !== undefined && !existsSync(path)) return { path, text, mode, real: path, before: undefined };
    // A configuration kept elsewhere may be linked here: the link stays, its target changes.
    const real = attempt(path, 'read', () => realpathSync(path));
    return { path, text, mode: mode ?? statSync(real).mode, real, before: readText(real) };
  });
  const written: string[] = [];
  const replaced: typeof files = [];
  try {
    for (const { path, real, text, mode } of files) {
      attempt(path, 'written', () => writeFileSync(`${real}.new`, text, { mode }));
      written.push(`${real}.new`);
      attempt(path, 'written', () => chmodSync(`${real}.new`, mode & 0o777));
    }
    for (const file of files) {
      attempt(file.path, 'written', () => renameSync(`${file.real}.new`, file.real));
      replaced.push(file);
    }
  } catch (error) {
    for (const temporary of written) rmSync(temporary, { force: true });
    for (const { real, before, mode } of replaced) {
      if (before === undefined) rmSync(real, { force: true });
      else replaceFile(real, before, mode);
    }
    throw error;
  }
}

/** With the directories above it. @throws {Failure} */
export function makeDirectory(path: string): void {
  attempt(path, 'made', () => {
    // Not `recursive`: if a file system refuses with "no such file", as /proc does, Node would try for ever.
    const missing: string[] = [];
    for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.unshift(at);
    for (const each of missing) mkdirUnlessThere(each);
    if (!statSync(path).isDirectory()) throw new Error('ENOTDIR: a file of this name is there');
  });
}

/** Another process may have made it in the meantime. */
function mkdirUnlessThere(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/** @param what Completes "cannot be". @throws {Failure} */
export function attempt<T>(path: string, what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new Failure(`${path}: cannot be ${what}: ${systemReason(error)}`, error);
  }
}

/** The operating system's reason for a failed call, without the path and the name of the call. */
export function systemReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return /^(E[A-Z]+: [^,]*)/.exec(error.message)?.[1] ?? error.message;
}
