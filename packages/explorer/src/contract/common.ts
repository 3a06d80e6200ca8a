import { schema } from '@switchyard/service/contract';
import * as column from './column.ts';

/* Records that several resources have. */

export const amount = schema.record('Amount', {
  asset: schema.text('Name of the asset on the sequencer'),
  amount: schema.text('Decimal digits, in the smallest unit', { pattern: '^[0-9]{1,60}$' }),
});
export type Amount = schema.TypeOf<typeof amount>;

export const layerPlace = schema.record('LayerPlace', {
  height: schema.integer('Block of the data-availability layer that has the sequencer block'),
  at: column.time,
});
export type LayerPlace = schema.TypeOf<typeof layerPlace>;
