import { InvalidConfig } from '@switchyard/service';
import type { Statement, Value } from './store.ts';

export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: string;
  /** Columns of further indexes. */
  readonly indexes?: readonly string[];
}

/** Tables that are opened together. */
export interface Schema {
  /** Recorded with the tables. */
  readonly format: string;
  /** Of the embedded store. */
  readonly file: string;
  /** Which table records the format, as `(key, value)`. */
  readonly formatTable: string;
  readonly tables: readonly Table[];
  /** Whether the contents can be made again from the chain: tables of another format are then replaced. */
  readonly isDerived: boolean;
  /** Logged where the file is damaged. */
  readonly whenDamaged: string;
}

/** What makes the tables where they are absent. @param suffix After each table, for what only one kind of store has. */
export function createTables({ tables }: Schema, suffix = ''): string[] {
  return tables.flatMap(({ name, columns, key, indexes = [] }) => [
    `CREATE TABLE IF NOT EXISTS ${name} (${columns.join(', ')}, PRIMARY KEY (${key}))${suffix}`,
    ...indexes.map((index, at) => `CREATE INDEX IF NOT EXISTS ${name}_${at} ON ${name} (${index})`),
  ]);
}

/**
 * What makes tables of the right format of those that were found.
 *
 * @param found The format they have; undefined for new ones.
 * @throws {InvalidConfig} where another version wrote what cannot be made again.
 */
export function adoptTables(schema: Schema, found: Value | undefined, suffix = ''): Statement[] {
  const { tables, format, formatTable, isDerived, file } = schema;
  if (found === format) return [];
  if (found !== undefined && !isDerived) {
    const advice = 'use the version that wrote it';
    throw new InvalidConfig([{ variable: file, expected: `format ${format}`, got: String(found), advice }]);
  }
  const drop = tables.map(({ name }) => `DROP TABLE IF EXISTS ${name}`);
  const sql = isDerived ? [...drop, ...createTables(schema, suffix)] : [];
  return [
    ...sql.map((each) => ({ sql: each, params: [] })),
    { sql: `INSERT INTO ${formatTable} (key, value) VALUES ('format', ?)`, params: [format] },
  ];
}

export const formatQuery = ({ formatTable }: Schema): string => `SELECT value FROM ${formatTable} WHERE key = 'format'`;
