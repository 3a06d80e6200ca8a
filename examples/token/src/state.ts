import { parseDenom } from '@switchyard/protocol';
import { address, single, u128 } from '@switchyard/rollup';

/** The coin of this rollup. */
export const COIN = parseDenom('coin').id;

/** The account that may mint. */
export const owner = single({ name: 'owner', value: address });

/** Units of the coin that there are. */
export const supply = single({ name: 'supply', value: u128, absent: 0n });
