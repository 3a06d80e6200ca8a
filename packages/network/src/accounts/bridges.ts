import { createHash } from 'node:crypto';
import { createSigner, formatAddress } from '@switchyard/protocol';
import type { DevAccount } from './accounts.ts';

/** Bridge account of a rollup in a network of this process: its key follows from the name, so that no two share one. */
export function bridgeAccountOf(rollup: string): DevAccount {
  const seed = createHash('sha256').update(`switchyard bridge account of ${rollup}`).digest();
  return {
    name: `${rollup}-bridge`,
    address: formatAddress(createSigner(seed).account),
    key: seed.toString('hex'),
    role: `the account whose deposits ${rollup} accepts`,
  };
}
