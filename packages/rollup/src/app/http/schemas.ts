import { parseAddress, type TxHash, txHashFromHex } from '@switchyard/protocol';
import { schema } from '@switchyard/service/api';

/* Parameters that the routes of every rollup have in common. */

export { address, amount, hash, time } from '@switchyard/client/rollup-contract';

/** Any prefix: only the 20 bytes count. */
export const addressParameter = schema.parsed(
  {
    description: 'A bech32m address',
    // A prefix, 32 digits of 5 bits, and the checksum.
    pattern: '^[a-z0-9]+1[02-9ac-hj-np-z]{38}$',
    examples: ['astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm'],
  },
  'a bech32m address of 20 bytes',
  parseAddress,
);

export const hashParameter = schema.matching<TxHash>(
  { description: 'Hash of a transaction', pattern: '^[0-9a-fA-F]{64}$' },
  '64 hex digits',
  txHashFromHex,
);
