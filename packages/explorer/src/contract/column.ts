import { schema } from '@switchyard/service/contract';

/* Members of a record that the index has in a column of their own. */

/** The form in which a column has them. */
export type Stored =
  // `text` is empty if there is nothing; `given` may also be empty, and is null if there is nothing.
  | 'number'
  | 'text'
  | 'given'
  // 1 or 0; milliseconds since the Unix epoch.
  | 'flag'
  | 'time'
  // Digits without `0x`; a quantity in 64 hex digits.
  | 'hex'
  | 'address'
  | 'sortable'
  // 20 bytes in hex, shown with the prefix of the chain; an id, shown as the name of the rollup.
  | 'account'
  | 'rollup'
  // Words with commas between them; JSON in answers.
  | 'joined'
  | 'json';

export interface Column<T> extends schema.Schema<T> {
  readonly stored: Stored;
  readonly isNullable?: true;
  /** Name of the column, if it is not that of the member. */
  readonly column?: string;
}

const column = <T>(stored: Stored, item: schema.Schema<T>): Column<T> => ({ ...item, stored });

export const nullable = <T>(item: Column<T>): Column<T | null> => ({
  ...item,
  ...schema.nullable(item),
  isNullable: true,
});

/** For a member that is computed. */
export const plain = <T>({ read, json }: schema.Schema<T>): schema.Schema<T> => schema.find(json, read);

export const integer = (...item: Parameters<typeof schema.integer>) => column('number', schema.integer(...item));
export const text = (...item: Parameters<typeof schema.text>) => column('text', schema.text(...item));
export const given = (...item: Parameters<typeof schema.text>) => nullable(column('given', schema.text(...item)));
export const flag = (description: string) => column('flag', schema.flag(description));
export const words = <const W extends string>(description: string, ...all: readonly W[]) =>
  column('text', schema.words(description, ...all));
export const digits = (description: string, most: number) => text(description, { pattern: `^[0-9]{1,${most}}$` });
export const joined = <T>(item: schema.Schema<T>) => column('joined', schema.list(item));
export const json = <T>(item: schema.Schema<T>) => column('json', item);

/** Hashes of the sequencer and of rollups of the framework. */
export const hash = (description: string) => text(description, { pattern: '^[0-9a-f]{64}$' });
export const accountBytes = (description: string) => text(description, { pattern: '^[0-9a-f]{40}$' });
export const account = (description: string) =>
  nullable(column('account', schema.text(description, { pattern: '^[a-z0-9]+1[02-9ac-hj-np-z]{38}$' })));

export const time = column('time', schema.text('RFC 3339 in UTC', { examples: ['2026-01-01T00:00:00.000Z'] }));
export const timeOrNull = nullable(time);
export const rollupName: Column<string | null> = {
  ...nullable(column('rollup', schema.text('Name of the rollup; null where none of its nodes is followed'))),
  column: 'rollup',
};

export const hex = (description: string) => column('hex', schema.text(description, { pattern: '^0x[0-9a-f]*$' }));
export const hexHash = (description: string) =>
  column('hex', schema.text(description, { pattern: '^0x[0-9a-f]{64}$' }));
export const address = (description: string) =>
  column('address', schema.text(`${description}, with the capitals of EIP-55`, { pattern: '^0x[0-9a-fA-F]{40}$' }));
/** Decimal text in a column of the same form, or of a column that sorts as the numbers do. */
export const amount = (description: string) => text(`${description}, decimal digits`, { pattern: '^[0-9]{1,78}$' });
export const sortable = (description: string) => column('sortable', amount(description));
