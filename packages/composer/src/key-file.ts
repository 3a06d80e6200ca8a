import { readFileSync, statSync } from 'node:fs';
import { createSigner, parseSeed, type Signer, toHex } from '@switchyard/protocol';
import { InvalidConfig, type Logger } from '@switchyard/service';

/** Public keys of the accounts of development genesis files. Everybody has their private keys. */
const DEVELOPMENT_KEYS = new Set([
  'd5bf4a3fcce717b0388bcc2749ebc148ad9969b23f45ee1b605fd58778576ac4',
  'a117bd90f6102d64a950116a82c460a67c8dd6c08317259030b152f729807ca2',
  '49487196b0a746378aa0a19765636f9ce98bf5e8b9ead12cb78331005717a53f',
  'c97e7c59db5f02f2952c7951c2de12aa679335074cb6fe8ce6f65ac01bfe9fd3',
  'db617d4ec61726efc4d993488931b37f7774bf04ad916b8f974d33c9241ee762',
  'b1705c187a3dd247b307182af461e79836dba64d16af2b34f167422fca0d8f95',
  'b78aa61c65f21e5fe0f31d221819053fa2286dd6eff83fc490e3ee746f144626',
  '9007b2313d8015238a1ea31753e9309344b26f9b289a95f029371c82ac00a42e',
]);

/** @throws {InvalidConfig} naming the variable and the file. No message has anything of the key. */
export function readKeyFile(path: string, variable: string, log: Logger): Signer {
  const invalid = (got: string) =>
    new InvalidConfig([
      {
        variable,
        expected: 'a file with an ed25519 seed, 64 hexadecimal digits',
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
    return createSigner(parseSeed(content.trim()));
  } catch {
    throw invalid('something else');
  }
}

export function isDevelopmentKey({ publicKey }: Signer): boolean {
  return DEVELOPMENT_KEYS.has(toHex(publicKey));
}
