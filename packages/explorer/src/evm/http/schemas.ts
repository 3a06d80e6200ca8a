import { schema } from '@switchyard/service/api';
import { hexParameter } from '../../http/schemas.ts';

/* What the routes of EVM rollups have in common, beside what all have. */

export { hashParameter, rollupParameter, time } from '../../http/schemas.ts';

export const TAG = 'EVM';

/** In lower case without `0x`. */
export const addressParameter = hexParameter('An address of 20 bytes', 'an address of 40 hex digits', 40);

export const hash = (description: string) => schema.text(description, { pattern: '^0x[0-9a-f]{64}$' });
export const address = (description: string) =>
  schema.text(`${description}, with the capitals of EIP-55`, { pattern: '^0x[0-9a-fA-F]{40}$' });
export const amount = (description: string) =>
  schema.text(`${description}, decimal digits`, { pattern: '^[0-9]{1,78}$' });
export const hex = (description: string) => schema.text(description, { pattern: '^0x[0-9a-f]*$' });
