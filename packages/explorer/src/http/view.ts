import { checksummed } from '@switchyard/protocol/ethereum';
import type { schema } from '@switchyard/service/contract';
import type { Column, Stored } from '../contract/column.ts';
import { fromSortable } from '../evm/tokens/holdings.ts';
import { snakeCase } from '../store/statements.ts';
import type { IndexStore, Row, Value } from '../store/store.ts';
import { number, text, time } from './cells.ts';
import { type ApiContext, rollupName } from './context.ts';

/** Names that are shown for the identities of some columns. */
export type Naming = Pick<ApiContext, 'address' | 'rollups'>;

type ColumnNames<M> = { [K in keyof M]: M[K] extends Column<unknown> ? K : never }[keyof M];

/** Members of a record that no column has. */
export type Computed<M extends schema.Members> = schema.ObjectOf<Omit<M, ColumnNames<M>>>;

/** These members for each row of a page. */
export type ComputedOf<R extends { readonly members: schema.Members }> = (row: Row) => Computed<R['members']>;

/** Columns of a record, and the conversion of a row to JSON. */
export interface View<M extends schema.Members> {
  readonly from: string;
  /** Columns by the names of their members. */
  readonly columns: Readonly<Record<string, string>>;
  readonly select: string;
  /** @param naming Unless no column needs it. @param prefix For a record in another one, of {@link within}. */
  json(row: Row, computed: Computed<M>, naming?: Naming, prefix?: string): schema.ObjectOf<M>;
}

/**
 * @param from Tables, whose first one the columns are of.
 * @param columns Columns of other names or tables than that, and columns without a member.
 */
export function view<M extends schema.Members>(
  { members }: schema.RecordOf<M>,
  from: string,
  columns: Readonly<Record<string, string>> = {},
): View<M> {
  const entries = Object.entries(members);
  const [first, table = first] = from.split(/\s+/);
  const read = entries.flatMap(([name, member]) =>
    isColumn(member) ? [[name, `${table}.${member.column ?? snakeCase(name)}`] as const] : [],
  );
  const all = { ...Object.fromEntries(read), ...columns };
  const select = Object.entries(all).map(([name, sql]) => `${sql} AS "${name}"`);
  return {
    from,
    columns: all,
    select: select.join(', '),
    json(row, computed, naming, prefix = '') {
      const given: Readonly<Record<string, unknown>> = computed;
      const shown = entries.flatMap(([name, member]) => {
        if (isColumn(member)) return [[name, cell(member, row[`${prefix}${name}`] ?? null, naming)]];
        return given[name] === undefined ? [] : [[name, given[name]]];
      });
      // Each member is of its column or of the caller, who gives the others.
      return Object.fromEntries(shown) as schema.ObjectOf<M>;
    },
  };
}

/** Rows of a view. @param sql Condition of the rows, and the clauses behind it. */
export const readRows = (
  store: Pick<IndexStore, 'read'>,
  { select, from }: Pick<View<schema.Members>, 'select' | 'from'>,
  sql: string,
  params: readonly Value[],
): Promise<Row[]> => store.read(`SELECT ${select} FROM ${from} WHERE ${sql}`, params);

/** The columns of a record that is a member of another one. */
export const withPrefix = (
  prefix: string,
  { columns }: Pick<View<never>, 'columns'>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(columns).map(([name, sql]) => [`${prefix}${name}`, sql]));

const isColumn = (member: schema.Schema<unknown>): member is Column<unknown> => 'stored' in member;

const CELLS: Readonly<Record<Stored, (value: Value, naming: Naming | undefined) => unknown>> = {
  number,
  text,
  given: text,
  flag: (value) => number(value) === 1,
  time,
  hex: (value) => `0x${text(value)}`,
  address: (value) => checksummed(text(value)),
  sortable: (value) => String(fromSortable(text(value))),
  account: (value, naming) => naming?.address(value) ?? null,
  rollup: (value, naming) => (naming === undefined ? null : rollupName(naming, text(value))),
  joined: (value) => (value === '' || value === null ? [] : text(value).split(',')),
  json: (value) => JSON.parse(text(value)),
};

function cell({ stored, isNullable }: Column<unknown>, value: Value, naming: Naming | undefined): unknown {
  const isNothing = value === null || (value === '' && stored !== 'given') || (stored === 'time' && number(value) <= 0);
  return isNullable === true && isNothing ? null : CELLS[stored](value, naming);
}
