import { join } from 'node:path';
import { plain } from '@switchyard/protocol/hidden-characters';
import { Failure } from '@switchyard/service/failure';
import { makeWhole } from '../files/files.ts';

export interface Installed {
  readonly name: string;
  readonly version: string;
  readonly signal?: AbortSignal | undefined;
  /** Makes the program, under its name, in a directory that is removed afterwards. */
  make(work: string): Promise<void>;
  /** Version that a program prints, if it prints one. */
  readVersion(program: string): Promise<string | undefined>;
}

/**
 * Puts a program into a directory. An existing file is replaced only by a program that prints this version.
 *
 * @returns its path. @throws {Failure}
 */
export async function installProgram(bin: string, installed: Installed): Promise<string> {
  const { name, version, signal, make, readVersion } = installed;
  const program = join(bin, name);
  const whole = async (work: string) => {
    await make(work);
    const fresh = join(work, name);
    const got = await readVersion(fresh);
    if (got === version) return fresh;
    throw new Failure(`${fresh}: expected ${name} ${version}, got ${plain(got ?? 'no version')}`);
  };
  await makeWhole(program, whole, signal);
  return program;
}
