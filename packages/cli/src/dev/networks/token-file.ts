import { readFileSync, statSync } from 'node:fs';
import { Failure, tried } from '@switchyard/service/failure';
import { quoted } from '@switchyard/storage/damaged';
import type { Instance } from '../instance/instance.ts';
import { LAYER_KEY } from '../instance/network-layer.ts';

/** Limit of the reader of the layer. */
const MAX_TOKEN_BYTES = 8_192;

/** Expected, got, and advice, without anything of the file's content; `undefined` when it is in order. */
function findProblem(path: string): string | undefined {
  const write = `write there what \`celestia light auth read\` prints, with \`(umask 077; cat > ${quoted(path)})\``;
  const status = tried(Error, undefined, () => statSync(path));
  // A pipe or a device cannot be read again.
  if (status?.isFile() !== true) return `expected a file with one token, got nothing that can be read: ${write}`;
  const mode = status.mode & 0o777;
  if ((mode & 0o077) !== 0)
    return `expected a file of mode 600, got mode ${mode.toString(8)}: \`chmod 600 ${quoted(path)}\`, and get another token if others had access`;
  const token = tried(Error, '', () => readFileSync(path, 'utf8')).trim();
  if (/^[\w.~+/=-]+$/.test(token) && token.length <= MAX_TOKEN_BYTES) return undefined;
  const got = token === '' ? 'an empty file' : /\s/.test(token) ? 'several words' : 'other characters, or too many';
  return `expected one token, got ${got}: ${write}`;
}

/** Before the first process: the conductor would find out on its own, and nothing would become firm in the meantime. @throws {Failure} */
export function requireTokenFile({ paths, network }: Instance): void {
  const path = network.layer?.token_file;
  const problem = path && findProblem(path);
  if (problem)
    throw new Failure(`${paths.networks}: networks.${network.name}.${LAYER_KEY}.token_file: ${path}: ${problem}`);
}
