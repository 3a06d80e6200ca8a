import type { Value } from '../store/store.ts';

/* Cells of a row as values of an answer. */

export const number = (value: Value | undefined): number => Number(value ?? 0);
export const numberOrNull = (value: Value | undefined): number | null => (typeof value === 'number' ? value : null);
export const text = (value: Value | undefined): string => String(value ?? '');
/** Columns that may not be null hold the empty text if there is nothing. */
export const textOrNull = (value: Value | undefined): string | null =>
  typeof value === 'string' && value !== '' ? value : null;
export const time = (value: Value | undefined): string => new Date(number(value)).toISOString();
export const timeOrNull = (value: Value | undefined): string | null =>
  typeof value === 'number' && value > 0 ? time(value) : null;
