import { fields } from '@switchyard/composer/config';
import type { Program } from '../process.ts';

export const composer: Program<typeof fields> = {
  name: 'composer',
  title:
    'Composer. Rollups submit over gRPC; svc_composer_rollups is for EVM nodes that know nothing of it, as NAME::WS_URL',
  fields,
  listeners: {
    collector: { field: fields.grpcAddr, use: 'gRPC' },
    health: { field: fields.apiListenAddr, use: 'health' },
  },
  ready: { listener: 'health', path: '/readyz' },
  needs: ['sequencer'],
  store: fields.dbFilepath,
  documented: [fields.sequencerAddressPrefix, fields.rollups, fields.bundleQueueCapacity],
  memory: { young: 4 },
};
