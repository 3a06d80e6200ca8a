import { readFile, stat } from 'node:fs/promises';
import { errorLine } from '../telemetry/error-line.ts';
import { outside } from '../timing/clock.ts';
import { InvalidConfig } from './config.ts';

/**
 * The text of a file that a setting names.
 *
 * @param what Such as `a genesis file`.
 * @throws {InvalidConfig} if it cannot be read, or is larger than `maxBytes`.
 */
export async function readTextFile(file: string, setting: string, what: string, maxBytes: number): Promise<string> {
  try {
    const { size } = await outside(stat(file));
    if (size > maxBytes) throw new Error(`${size} bytes are too many`);
    return await outside(readFile(file, 'utf8'));
  } catch (error) {
    throw new InvalidConfig({
      variable: setting,
      expected: `${what} that can be read`,
      got: errorLine(error),
      advice: 'correct the path, or put the file there',
    });
  }
}
