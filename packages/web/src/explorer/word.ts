import type { Input, Read } from '@switchyard/client/http-api';

/** Text, a number or a flag for people; empty if there is none. */
export const word: Read<string> = ({ value }) =>
  ['string', 'number', 'bigint', 'boolean'].includes(typeof value) ? String(value) : '';

/** Elements of a list; none if there is no list. */
export const elements = (input: Input): readonly Input[] => (Array.isArray(input.value) ? input.list() : []);
