import type { Read } from '@switchyard/client/http-api';

/** Text, a number or a flag for people; empty where there is none. */
export const word: Read<string> = ({ value }) =>
  ['string', 'number', 'bigint', 'boolean'].includes(typeof value) ? String(value) : '';
