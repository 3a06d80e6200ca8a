import { readFileSync, statSync } from 'node:fs';
import { parseSeed } from '@switchyard/protocol';
import { InvalidConfig, type Logger } from '@switchyard/service';

/**
 * The 32 bytes of a private key, from a file with 64 hexadecimal digits, with or without 0x.
 *
 * @throws {InvalidConfig} naming the variable and the file. No message has anything of the key.
 */
export function readKeyFile(path: string, variable: string, log: Logger): Uint8Array {
  const invalid = (got: string) =>
    new InvalidConfig([
      {
        variable,
        expected: 'a file with a private key, 64 hexadecimal digits',
        got: `${path}: ${got}`,
        advice: 'write the key to that file, with mode 600, or name another file',
      },
    ]);
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
    const mode = statSync(path).mode & 0o777;
    if ((mode & 0o077) !== 0) {
      log.warn({ path, mode: mode.toString(8) }, 'the key file can be read by others; chmod 600 mends that');
    }
  } catch (error) {
    throw invalid(error instanceof Error && 'code' in error ? String(error.code) : 'not readable');
  }
  try {
    return parseSeed(content.trim().replace(/^0x/i, ''));
  } catch {
    throw invalid('something else');
  }
}
