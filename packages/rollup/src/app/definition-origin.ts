import { type StateReader, type StateWriter, table, text, u32Key } from '@switchyard/machine';
import { InvalidConfig } from '@switchyard/service';
import type { RollupDefinition } from './definition.ts';
import { commitmentRows } from './tables.ts';

/** The definition that the database is run by, as JSON; no row if it has none. */
const documents = table({ prefix: 'index/definition/', key: u32Key, value: text, absent: '' });

type Described = Pick<RollupDefinition, 'schemas' | 'name'>;

export function recordDefinition({ schemas }: Pick<Described, 'schemas'>, rows: StateWriter): void {
  if (schemas !== undefined) documents.put(rows, 0, schemas.document);
}

/** A chain by its program. */
export interface RunningChain {
  /** Text of the document of its definition. */
  readonly document: string;
  /** The last block that is executed. */
  readonly soft: bigint;
}

/** Undefined if the data was written by a rollup without schemas, or there is none. */
export function runningChain(stored: StateReader): RunningChain | undefined {
  const document = documents.get(stored, 0);
  return document === '' ? undefined : { document, soft: commitmentRows.get(stored)?.soft ?? 0n };
}

/**
 * @param soft The last block that is executed.
 * @returns whether the document has to be recorded, since parts were added that begin later.
 * @throws {InvalidConfig} if another definition has written the data: its rows and blocks would be read as others.
 */
export function checkDefinition({ schemas, name }: Described, soft: bigint, stored: StateReader): boolean {
  const begun = runningChain(stored)?.document;
  if (begun === schemas?.document) return false;
  if (begun === undefined || schemas === undefined) {
    const shown = (document: string | undefined) =>
      document === undefined ? 'one without schemas' : 'one with schemas';
    throw new InvalidConfig({
      variable: 'DB_FILEPATH',
      expected: `data of this definition of ${name}, ${shown(schemas?.document)}`,
      got: `data of another definition, ${shown(begun)}`,
      advice: 'run the program that wrote it, or reset the state to start over',
    });
  }
  const changes = schemas.changes(begun, soft);
  if (changes !== undefined) {
    const expected = `that of the stored blocks, the last of which is ${soft}`;
    const { change, advice } = changes;
    throw new InvalidConfig({ variable: 'the definition', expected, got: change, advice });
  }
  return true;
}
