/** The key of the only validator, made when the chain begins. Its owner can make blocks that readers believe. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSigner, type Signer } from '@switchyard/protocol';
import { type Logger, readKey } from '@switchyard/service';

const FILE = 'validator.key';

/** @param directory Existing directory of the blocks. @throws {InvalidConfig} if the file holds no key. */
export function validatorKey(directory: string, setting: string, log: Logger): Signer {
  const path = join(directory, FILE);
  try {
    writeFileSync(path, `${randomBytes(32).toString('hex')}\n`, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return createSigner(readKey({ path, setting, kind: 'ed25519', passphraseSetting: setting, log }));
}
