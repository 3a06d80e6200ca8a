import { fields } from '@switchyard/withdrawer/config';
import type { Program } from '../process.ts';

export const withdrawer: Program<typeof fields> = {
  name: 'withdrawer',
  title: 'Withdrawer: pays withdrawals of the rollup out of its bridge account',
  fields,
  listeners: { http: { field: fields.apiListenAddr, use: 'withdrawals and balance sheet' } },
  ready: { listener: 'http', path: '/readyz' },
  needs: ['sequencer', 'messenger', 'evm'],
  store: fields.dbFilepath,
  enabled: fields.enabled,
  memory: { young: 4, heap: 256 },
};
