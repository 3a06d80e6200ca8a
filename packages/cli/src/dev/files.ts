import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { Failure } from '../failure.ts';

/*
 * File system calls whose failures are lines for a person: which file, what was tried, what the system says.
 */

/** @throws {Failure} */
export function readText(path: string): string {
  return attempt(path, 'read', () => readFileSync(path, 'utf8'));
}

/** @throws {Failure} */
export function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure(`${path}: not valid JSON: ${reason}`, undefined, { cause: error });
  }
}

/** @throws {Failure} also when the file exists. */
export function writeNewFile(path: string, text: string, mode: number): void {
  attempt(path, 'written', () => writeFileSync(path, text, { mode, flag: 'wx' }));
}

/** The file has the new text or the old one, whatever happens in between. @throws {Failure} */
export function replaceFile(path: string, text: string, mode: number): void {
  attempt(path, 'written', () => {
    writeFileSync(`${path}.new`, text, { mode });
    renameSync(`${path}.new`, path);
  });
}

/** @throws {Failure} */
export function makeDirectory(path: string): void {
  attempt(path, 'made', () => mkdirSync(path, { recursive: true }));
}

function attempt<T>(path: string, what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new Failure(`${path}: cannot be ${what}: ${systemReason(error)}`, undefined, { cause: error });
  }
}

/** What the operating system says about a failed call, without the path and the name of the call. */
export function systemReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return /^(E[A-Z]+: [^,]*)/.exec(error.message)?.[1] ?? error.message;
}
