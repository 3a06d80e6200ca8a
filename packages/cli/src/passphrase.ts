import { homedir } from 'node:os';
import { InvalidConfig, readPassphrase } from '@switchyard/service';
import { usage } from '@switchyard/service/failure';
import type { World } from './cli.ts';
import type { KeyOptions } from './key-options.ts';

export const PASSPHRASE_VARIABLE = 'SWITCHYARD_PASSPHRASE_FILE';
const SHORTEST = 8;

type PassphraseOptions = Pick<KeyOptions, 'passphraseFile'>;

/**
 * The passphrase of an encrypted key: from the file that is named, by flag or environment, else from the person at the
 * terminal. It is never an argument, which others could read in the list of processes.
 *
 * @param what Owner of the passphrase, for the question.
 * @throws {Failure}
 */
export async function askPassphrase({ passphraseFile }: PassphraseOptions, world: World, what: string) {
  const named = passphraseFile ?? world.env[PASSPHRASE_VARIABLE] ?? '';
  if (named !== '') return fromFile(named, passphraseFile === undefined ? PASSPHRASE_VARIABLE : '--passphrase-file');
  const answer = await world.askSecret?.(`Passphrase of ${what}: `);
  if (answer === undefined || answer === '') {
    throw usage(`${what} is encrypted: give --passphrase-file PATH, or name the file in ${PASSPHRASE_VARIABLE}`);
  }
  return answer;
}

/** A new one, typed twice if it is typed. @throws {Failure} */
export async function newPassphrase(options: PassphraseOptions, world: World, what: string): Promise<string> {
  const isTyped = (options.passphraseFile ?? world.env[PASSPHRASE_VARIABLE] ?? '') === '';
  const passphrase = await askPassphrase(options, world, what);
  if (passphrase.length < SHORTEST) throw usage(`a passphrase: expected at least ${SHORTEST} characters`);
  if (isTyped && (await world.askSecret?.('The same again: ')) !== passphrase) {
    throw usage('the two passphrases differ');
  }
  return passphrase;
}

async function fromFile(path: string, setting: string): Promise<string> {
  try {
    return readPassphrase(path.replace(/^~(?=$|\/)/, homedir()), setting);
  } catch (error) {
    if (error instanceof InvalidConfig) throw usage(error.message);
    throw error;
  }
}
