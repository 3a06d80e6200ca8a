import type { ReactNode } from 'react';
import { Digits } from './amount.tsx';

export type Columns<T> = readonly (readonly [name: string, cell: (row: T) => ReactNode, kind?: 'number' | 'name'])[];

interface TableProps<T> {
  readonly columns: Columns<T>;
  readonly rows: readonly T[];
  readonly name: string;
}

/** Rows without state. On a phone each is a block of its cells, with the names of their columns. */
export function Table<T>({ columns, rows, name }: TableProps<T>) {
  return (
    <table aria-label={name}>
      <thead>
        <tr>
          {columns.map(([column, , kind]) => (
            <th scope="col" key={column} className={kind === 'number' ? kind : undefined}>
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no state, and so no identity that matters
          <tr key={index}>
            {columns.map(([column, cell, kind]) =>
              kind === 'name' ? (
                <th scope="row" key={column}>
                  {cell(row)}
                </th>
              ) : (
                <td key={column} data-name={column} className={kind}>
                  {kind === 'number' ? numberOf(cell(row)) : cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const numberOf = (value: ReactNode) => (typeof value === 'string' ? <Digits text={value} /> : value);
