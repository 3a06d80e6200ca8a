import { execFile } from 'node:child_process';
import { compactable, SPARSE } from '@switchyard/storage';

/**
 * Compacts what is large and mostly free in a separate process, which a damaged database may crash without keeping the
 * services, which report the damage, from starting.
 *
 * @returns lines on what was done, or why it could not be.
 */
export async function compactAtStart(data: string): Promise<string[]> {
  const [, program] = process.argv;
  if (compactable(data, SPARSE).length === 0 || program === undefined) return [];
  return new Promise((resolve) => {
    execFile(process.execPath, [program, 'dev', 'compact', data, '--sparse'], (error, stdout, stderr) => {
      const lines = `${stdout}${error === null ? '' : stderr}`.split('\n').filter((line) => line.trim() !== '');
      resolve(lines.filter((line) => !line.startsWith('nothing to gain')).map((line) => `compacting: ${line}`));
    });
  });
}
