import { randomBytes } from 'node:crypto';
import { writeAbsent } from '../files/files.ts';
import type { InstancePaths } from './home.ts';

/** The text of a new secret. */
export function secretText(): string {
  return `${randomBytes(32).toString('hex')}\n`;
}

/** Makes the secrets that an instance lacks. @throws {Failure} when a file cannot be written. */
export function makeSecrets(paths: InstancePaths): void {
  writeAbsent([paths.executionSecret, paths.composerSecret].map((path) => ({ path, text: secretText, mode: 0o600 })));
}
