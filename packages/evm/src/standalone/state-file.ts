import { constants } from 'node:fs';
import { access, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorLine, InvalidConfig, readTextFile } from '@switchyard/service';
import { type Input, parseInput } from '@switchyard/service/input';
import { getObject, quantity } from '../json/params.ts';
import { type Dumped, dumpedAccounts, MAX_BYTES, putAccounts, stateText } from './dumped-state.ts';
import type { Edit } from './situation.ts';

export interface LoadedState {
  readonly edits: readonly Edit[];
  /** Seconds; of its newest block, if it has one. */
  readonly timestamp: bigint | undefined;
  /** Whether it has blocks, which are not loaded. */
  readonly hasBlocks: boolean;
}

const SETTING = 'SVC_EVM_STANDALONE_STATE_FILE';
const ABSENT: LoadedState = { edits: [], timestamp: undefined, hasBlocks: false };

/**
 * The accounts of a file that anvil has written with `--dump-state` or `--state`, or this node.
 *
 * @returns nothing to load if there is no such file.
 * @throws {InvalidConfig} if it cannot be used, or could not be written at the end. The file is not changed.
 */
export async function readStateFile(file: string): Promise<LoadedState> {
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  await access(isThere ? file : dirname(file), constants.W_OK).catch((error: unknown) => {
    throw refused('a file that can be written', error);
  });
  if (!isThere) return ABSENT;
  const text = await readTextFile(file, SETTING, 'a state', MAX_BYTES);
  try {
    return read(parseInput(text, 'state'));
  } catch (error) {
    throw refused(`a state as anvil writes it with --dump-state in ${file}`, error);
  }
}

/** Replaces the file by a whole one, or leaves it. @param timestamp Of the latest block. */
export async function writeStateFile(file: string, dumped: Dumped, timestamp: bigint): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, stateText(dumped, { switchyard: { timestamp } }), { flush: true });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new Error(`the state was not written to ${file}`, { cause: error });
  }
}

const time = getObject({ timestamp: quantity });
const rest = getObject({ block: time, switchyard: time });

function read(input: Input): LoadedState {
  const { block, switchyard } = rest(input);
  const accounts = dumpedAccounts(input.at('accounts'));
  for (const [where, { nonce, balance, code, storage }] of accounts) {
    if (nonce === undefined || balance === undefined || code === undefined || storage === undefined)
      input.at('accounts').at(where).fail('nonce, balance, code and storage');
  }
  const blocks = input.at('blocks').value;
  return {
    edits: [(state) => putAccounts(state, accounts)],
    timestamp: block?.timestamp ?? switchyard?.timestamp,
    hasBlocks: Array.isArray(blocks) && blocks.length > 0,
  };
}

function refused(expected: string, error: unknown): InvalidConfig {
  const advice = 'name another file; this one is not changed';
  return new InvalidConfig({ variable: SETTING, expected, got: errorLine(error), advice });
}
