import { fields } from '@switchyard/explorer/config';
import type { Program } from '../process.ts';

export const explorer: Program<typeof fields> = {
  name: 'explorer',
  title:
    'Explorer. Its index can be deleted, and is then filled again; with svc_explorer_enabled = "false" it is not started',
  fields,
  listeners: { http: { field: fields.listenAddr, use: 'explorer page and HTTP API' } },
  // It shows what it has while it fills its index, and while its nodes are away.
  ready: { listener: 'http', path: '/healthz' },
  needs: ['sequencer'],
  store: fields.dbFilepath,
  enabled: fields.enabled,
  documented: [fields.enabled],
  memory: { young: 4, heap: 256 },
};
