import { schema } from '@switchyard/service/contract';

/* Parameters of requests. */

export const LIMIT = { standard: 25, most: 100 };

export const page = {
  cursor: schema.optional(
    schema.text('`next` of the page before', { pattern: '^[0-9a-f]{1,64}(-[0-9a-f]{1,64}){0,3}$' }),
  ),
  limit: schema.optional(schema.integer('Items of the page', { min: 1, max: LIMIT.most }), LIMIT.standard),
};

export const rollup = schema.text('Name or id of the rollup', { examples: ['evm'] });
export const hash = hex('A hash of 32 bytes', 'a hash of 64 hex digits', 64);
export const evmAddress = hex('An address of 20 bytes', 'an address of 40 hex digits', 40);

/** It is read in lower case without `0x`. */
function hex(description: string, expected: string, digits: number): schema.Schema<string> {
  const pattern = `^(0x)?[0-9a-fA-F]{${digits}}$`;
  return schema.matching({ description, pattern }, expected, (given) => given.replace(/^0x/, '').toLowerCase());
}

/** A block by number or hash, which is in lower case without `0x`. */
export const block = schema.matching<number | string>(
  {
    description: 'Number or hash of the block',
    pattern: '^([0-9]{1,15}|(0x)?[0-9a-fA-F]{64})$',
    examples: ['1'],
  },
  'a number or 64 hex digits',
  (given) => (/^[0-9]{1,15}$/.test(given) ? Number(given) : given.replace(/^0x/, '').toLowerCase()),
);

export const account = schema.text('A bech32m address, or its 20 bytes in hex', {
  pattern: '^([0-9a-fA-F]{40}|[a-z0-9]+1[02-9ac-hj-np-z]{38})$',
  examples: ['astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm'],
});
