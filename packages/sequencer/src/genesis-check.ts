import type { StateReader } from '@switchyard/machine';
import { InvalidConfig, invalidFile } from '@switchyard/service';
import { computeDigest, readGenesis } from './app/first-state.ts';
import { type AppState, InvalidGenesis } from './app/genesis.ts';
import { genesisDigest, readChain } from './app/tables/chain.ts';
import type { Genesis } from './app/types.ts';

/**
 * Looks at the genesis before anything is opened or served.
 *
 * @returns the limit that the chain sets for a transaction.
 * @throws {InvalidConfig} with every mistake, its place in the file and advice.
 */
export function checkAppState(
  genesis: Genesis,
  file: string,
): Pick<AppState, 'maxTransactionBytes' | 'maxSequencedBytesPerBlock'> {
  try {
    return readGenesis(genesis);
  } catch (error) {
    if (!(error instanceof InvalidGenesis)) throw error;
    throw invalidFile(file, error.problems);
  }
}

/**
 * Refuses a database that was made from another genesis: its blocks would be continued by other rules.
 *
 * @throws {InvalidConfig} in one line.
 */
export function checkDatabase(state: StateReader, genesis: Genesis, directory: string): void {
  const chain = readChain(state);
  if (chain === undefined) return;
  const problem = (expected: string, got: string): InvalidConfig =>
    new InvalidConfig({
      variable: directory,
      expected,
      got,
      advice: 'use the genesis file of this database, or another directory, or remove it',
    });
  if (chain.id !== genesis.chainId) throw problem(`a database of chain ${genesis.chainId}`, `one of chain ${chain.id}`);
  const stored = genesisDigest.get(state);
  if (stored === undefined || Buffer.compare(stored, computeDigest(genesis)) !== 0) {
    throw problem('a database made from this genesis file', `one made from another genesis of chain ${chain.id}`);
  }
}
