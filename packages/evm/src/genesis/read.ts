import { readTextFile } from '@switchyard/service';
import { type EvmGenesis, parseEvmGenesis } from './genesis.ts';

export const MAX_GENESIS_BYTES = 256 * 1_048_576;

/** @throws {InvalidConfig} if the file cannot be read, or something in it is wrong. */
export async function readEvmGenesis(file: string): Promise<EvmGenesis> {
  return parseEvmGenesis(
    await readTextFile(file, 'SVC_EVM_GENESIS_FILEPATH', 'a genesis file', MAX_GENESIS_BYTES),
    file,
  );
}
