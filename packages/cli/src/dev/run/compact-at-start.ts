import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { databasesBelow, SPARSE } from '../state/compact.ts';

/**
 * Compacts what is large and mostly free, in a process of its own: a database that is damaged can take whoever opens it
 * down, and that is for its service to report.
 *
 * @returns lines on what was done, or why it could not be.
 */
export async function compactAtStart(data: string): Promise<string[]> {
  const isLarge = databasesBelow(data).some((at) => statSync(join(at, 'data.mdb')).size >= SPARSE.leastBytes);
  const [, program] = process.argv;
  if (!isLarge || program === undefined) return [];
  return new Promise((resolve) => {
    execFile(process.execPath, [program, 'dev', 'compact', data, '--sparse'], (error, stdout, stderr) => {
      const output = `${stdout}${error === null ? '' : stderr}`.split('\n').filter((line) => line.trim() !== '');
      resolve(output.filter((line) => !line.startsWith('nothing to gain')).map((line) => `compacting: ${line}`));
    });
  });
}
