import { closeSync, openSync, readdirSync, readSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Inverts one byte of the largest file below a directory, at this share of its length. @returns its place. */
export function damage(directory: string, share: number): string {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes('lock'))
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort((a, b) => statSync(b).size - statSync(a).size);
  const [largest] = files;
  if (largest === undefined) throw new Error(`${directory} holds no files`);
  const at = Math.floor(share * statSync(largest).size);
  const byte = new Uint8Array(1);
  const file = openSync(largest, 'r+');
  try {
    readSync(file, byte, 0, 1, at);
    writeSync(file, new Uint8Array([~(byte[0] ?? 0) & 255]), 0, 1, at);
  } finally {
    closeSync(file);
  }
  return `byte ${at} of ${largest}`;
}
