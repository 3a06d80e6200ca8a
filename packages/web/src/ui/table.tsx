import type { ReactNode } from 'react';
import { Digits } from './amount.tsx';

/** A column is as wide as its cells, on one line; that of `words` has all other room, and lines. */
export type Columns<T> = readonly (readonly [
  name: string,
  cell: (row: T) => ReactNode,
  kind?: 'number' | 'name' | 'words',
])[];

interface TableProps<T> {
  readonly columns: Columns<T>;
  /** Undefined until they come. */
  readonly rows: readonly T[] | undefined;
  readonly name: string;
  /** How many there may be, until they come. */
  readonly likely?: number;
}

const BONE = <i className="bone" />;

/** Rows without state. On a phone each is a block of its cells, with the names of their columns. */
export function Table<T>({ columns, rows, name, likely = 6 }: TableProps<T>) {
  const all: readonly (T | undefined)[] = rows ?? Array.from({ length: likely }, () => undefined);
  const state = rows === undefined && ({ role: 'status', 'aria-label': 'Loading' } as const);
  return (
    <div className={rows === undefined ? 'rows loading' : 'rows'} {...state}>
      <table aria-label={name} aria-busy={rows === undefined}>
        <thead>
          <tr>
            {columns.map(([column, , kind]) => (
              <th scope="col" key={column} className={kind}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {all.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no state, and so no identity that matters
            <tr key={index}>
              {columns.map(([column, cell, kind]) =>
                kind === 'name' ? (
                  <th scope="row" key={column}>
                    {row === undefined ? BONE : cell(row)}
                  </th>
                ) : (
                  <td key={column} data-name={column} className={kind}>
                    {row === undefined ? BONE : kind === 'number' ? numberOf(cell(row)) : cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const numberOf = (value: ReactNode) => (typeof value === 'string' ? <Digits text={value} /> : value);
