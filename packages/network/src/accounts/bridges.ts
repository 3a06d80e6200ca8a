import { createHash } from 'node:crypto';
import { createSigner, formatAddress } from '@switchyard/protocol';
import type { DevAccount } from './accounts.ts';

/** A bridge account of a rollup, with its asset on the sequencer. */
export interface Bridge extends DevAccount {
  readonly asset: string;
}

/**
 * Bridge account of a rollup in a network of this process: its key follows from the name, so that no two share one.
 *
 * @param asset An asset other than the network's, of which a rollup may have several.
 */
export function toBridgeAccount(rollup: string, asset?: string): DevAccount {
  const item = asset === undefined ? rollup : `${rollup} for ${asset}`;
  const seed = createHash('sha256').update(`switchyard bridge account of ${item}`).digest();
  return {
    name: `${rollup}-bridge`,
    address: formatAddress(createSigner(seed).account),
    key: seed.toString('hex'),
    role: `the account whose deposits ${rollup} accepts`,
  };
}
