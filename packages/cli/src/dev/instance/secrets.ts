import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { writeNewFile } from '../files/files.ts';
import type { InstancePaths } from './home.ts';

/** The text of a new secret. */
export function secretText(): string {
  return `${randomBytes(32).toString('hex')}\n`;
}

/** Makes the secrets that an instance lacks. @throws {Failure} when a file cannot be written. */
export function makeSecrets(paths: InstancePaths): void {
  for (const path of [paths.executionSecret, paths.composerSecret]) {
    if (!existsSync(path)) writeNewFile(path, secretText(), 0o600);
  }
}
