import { fields } from '@switchyard/relayer/config';
import type { Program } from '../process.ts';

export const relayer: Program<typeof fields> = {
  name: 'relayer',
  title: 'Relayer: posts the blocks of the sequencer to the data-availability layer',
  fields,
  listeners: { health: { field: fields.apiListenAddr, use: 'health' } },
  ready: { listener: 'health', path: '/readyz' },
  needs: ['sequencer', 'da'],
  store: fields.dbFilepath,
  documented: [fields.maxGasPrice],
  memory: { young: 4 },
};
