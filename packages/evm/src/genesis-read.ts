import { readFile, stat } from 'node:fs/promises';
import { errorLine, InvalidConfig } from '@switchyard/service';
import { type EvmGenesis, parseEvmGenesis } from './genesis.ts';

const MAX_GENESIS_BYTES = 256 * 1_048_576;

/** @throws {InvalidConfig} where the file cannot be read, or something in it is wrong. */
export async function readEvmGenesis(file: string): Promise<EvmGenesis> {
  return parseEvmGenesis(await textOf(file), file);
}

async function textOf(file: string): Promise<string> {
  try {
    const { size } = await stat(file);
    if (size > MAX_GENESIS_BYTES) throw new Error(`${size} bytes are too many`);
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new InvalidConfig([
      {
        variable: 'SVC_EVM_GENESIS_FILEPATH',
        expected: 'a genesis file that can be read',
        got: errorLine(error),
        advice: 'correct the path, or put the file there',
      },
    ]);
  }
}
