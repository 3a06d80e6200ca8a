import { InvalidConfig } from '@switchyard/service';
import type { Statement, Value } from './store.ts';

/** Columns in which every row has a value. */
export const texts = (...names: readonly string[]) => names.map((name) => `${name} TEXT NOT NULL`);
export const numbers = (...names: readonly string[]) => names.map((name) => `${name} BIGINT NOT NULL`);

export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: string;
  /** Columns of further indexes. */
  readonly indexes?: readonly string[];
}

/** Names of the indexes, in their order. */
export const indexNames = ({ name, indexes = [] }: Table): string[] => indexes.map((_, at) => `${name}_${at}`);

/** Tables that are opened together. */
export interface Schema {
  /** Recorded with the tables. */
  readonly format: string;
  /** Name of the embedded store's file. */
  readonly file: string;
  /** Which table records the format, as `(key, value)`. */
  readonly formatTable: string;
  readonly tables: readonly Table[];
  /** Whether the contents can be made again from the chain: tables of another format are then replaced. */
  readonly isDerived: boolean;
  /** Logged if the file is damaged. */
  readonly whenDamaged: string;
}

/** Statements that make absent tables. @param suffix After each table, for clauses that only one kind of store has. */
export function createTables({ tables }: Schema, suffix = ''): string[] {
  return tables.flatMap((table) => {
    const { name, columns, key, indexes = [] } = table;
    const names = indexNames(table);
    return [
      `CREATE TABLE IF NOT EXISTS ${name} (${columns.join(', ')}, PRIMARY KEY (${key}))${suffix}`,
      ...indexes.map((index, at) => `CREATE INDEX IF NOT EXISTS ${names[at]} ON ${name} (${index})`),
    ];
  });
}

/**
 * Statements that make tables of the right format of the existing ones.
 *
 * @param found The format they have; undefined for new ones.
 * @throws {InvalidConfig} if another version wrote rows that cannot be made again.
 */
export function adoptTables(schema: Schema, found: Value | undefined, suffix = ''): Statement[] {
  const { tables, format, formatTable, isDerived, file } = schema;
  if (found === format) return [];
  if (found !== undefined && !isDerived) {
    const advice = 'use the version that wrote it';
    throw new InvalidConfig({ variable: file, expected: `format ${format}`, got: String(found), advice });
  }
  const drop = tables.map(({ name }) => `DROP TABLE IF EXISTS ${name}`);
  const sql = isDerived ? [...drop, ...createTables(schema, suffix)] : [];
  return [
    ...sql.map((each) => ({ sql: each, params: [] })),
    { sql: `INSERT INTO ${formatTable} (key, value) VALUES ('format', ?)`, params: [format] },
  ];
}

export const formatQuery = ({ formatTable }: Schema): string => `SELECT value FROM ${formatTable} WHERE key = 'format'`;
