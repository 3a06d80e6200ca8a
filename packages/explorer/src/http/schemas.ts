import { type AccountId, accountIdFromBytes, fromHex, parseAddress } from '@switchyard/protocol';
import { schema } from '@switchyard/service/api';

/* What the routes of the sequencer and of all rollups have in common. */

export const LIMIT = { standard: 25, most: 100 };

export const pageQuery = {
  cursor: schema.optional(
    schema.text('`next` of the page before', { pattern: '^[0-9a-f]{1,64}(-[0-9a-f]{1,64}){0,3}$' }),
  ),
  limit: schema.optional(schema.integer('Items of the page', { min: 1, max: LIMIT.most }), LIMIT.standard),
};

export function pageSchema<T>(item: schema.Schema<T>, name: string) {
  return schema.object(
    { items: schema.list(item), next: schema.nullable(schema.text('`cursor` of the page after')) },
    { name },
  );
}

export const rollupParameter = schema.text('Name or id of the rollup', { examples: ['evm'] });

/** In lower case without `0x`. */
export const hashParameter = hexParameter('A hash of 32 bytes', 'a hash of 64 hex digits', 64);

export function hexParameter(description: string, expected: string, digits: number): schema.Schema<string> {
  const pattern = `^(0x)?[0-9a-fA-F]{${digits}}$`;
  return schema.parsed({ description, pattern }, expected, (given) => {
    if (!new RegExp(pattern).test(given)) throw new RangeError(`not ${expected}`);
    return given.replace(/^0x/, '').toLowerCase();
  });
}

/** A block by number or hash, which is in lower case without `0x`. */
export const blockParameter: schema.Schema<number | string> = schema.parsed(
  {
    description: 'Number or hash of the block',
    pattern: '^([0-9]{1,15}|(0x)?[0-9a-fA-F]{64})$',
    examples: ['1'],
  },
  'a number or 64 hex digits',
  (given) => {
    if (/^[0-9]{1,15}$/.test(given)) return Number(given);
    if (!/^(0x)?[0-9a-fA-F]{64}$/.test(given)) throw new RangeError('neither a number nor a hash');
    return given.replace(/^0x/, '').toLowerCase();
  },
);

/** A bech32m address of any prefix, of which only the 20 bytes count, or these in hex. */
export const accountParameter: schema.Schema<AccountId> = schema.parsed(
  {
    description: 'A bech32m address, or its 20 bytes in hex',
    pattern: '^([0-9a-fA-F]{40}|[a-z0-9]+1[02-9ac-hj-np-z]{38})$',
    examples: ['astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm'],
  },
  'a bech32m address of 20 bytes, or 40 hex digits',
  parseAccount,
);

/** @throws {Rejected} */
export function parseAccount(given: string): AccountId {
  return /^[0-9a-f]{40}$/i.test(given) ? accountIdFromBytes(fromHex(given)) : parseAddress(given);
}

export const hash = (description: string) => schema.text(description, { pattern: '^[0-9a-f]{64}$' });
export const hex = (description: string) => schema.text(description, { pattern: '^([0-9a-f]{2})*$' });
export const account = (description: string) =>
  schema.text(description, { pattern: '^[a-z0-9]+1[02-9ac-hj-np-z]{38}$' });
export const accountBytes = (description: string) => schema.text(description, { pattern: '^[0-9a-f]{40}$' });
export const time = schema.text('RFC 3339 in UTC', { examples: ['2026-01-01T00:00:00.000Z'] });
export const rollupName = schema.nullable(schema.text('Of the rollup; null where none of its nodes is followed'));

export const amountSchema = schema.object(
  {
    asset: schema.text('As the sequencer names it'),
    amount: schema.text('In the smallest unit, decimal digits', { pattern: '^[0-9]{1,60}$' }),
  },
  { name: 'Amount' },
);

/** Errors of what is asked of another process while the client waits. */
export const NODE_ERRORS = {
  410: 'The node no longer has it',
  502: 'The node refused, or answered what cannot be read',
  503: 'The node or the index does not answer',
  504: 'The node did not answer in time',
};
