import { type StateReader, type StateWriter, table, text, u32Key } from '@switchyard/machine';
import { InvalidConfig } from '@switchyard/service';
import type { RollupDefinition } from './definition.ts';

/** Fingerprint of the definition that the database was begun with; no row where that had none. */
const fingerprints = table({ prefix: 'index/definition/', key: u32Key, value: text, absent: '' });

type Fingerprinted = Pick<RollupDefinition<never, never>, 'fingerprint' | 'name'>;

export function recordDefinition({ fingerprint }: Pick<Fingerprinted, 'fingerprint'>, rows: StateWriter): void {
  if (fingerprint !== undefined) fingerprints.put(rows, 0, fingerprint);
}

/** @throws {InvalidConfig} where another definition has written the data: its rows and blocks would be read as others. */
export function checkDefinition({ fingerprint = '', name }: Fingerprinted, stored: StateReader): void {
  const begun = fingerprints.get(stored, 0);
  if (begun === fingerprint) return;
  const shown = (found: string) => (found === '' ? 'one without schemas' : found);
  throw new InvalidConfig([
    {
      variable: 'DB_FILEPATH',
      expected: `data of this definition of ${name}, with the fingerprint ${shown(fingerprint)}`,
      got: `data of another definition, ${shown(begun)}`,
      advice: 'run the program that wrote it, or reset the state to begin anew',
    },
  ]);
}
