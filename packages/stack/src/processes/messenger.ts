import { fields } from '@switchyard/messenger/config';
import type { Program } from '../process.ts';

export const messenger: Program<typeof fields> = {
  name: 'messenger',
  title: 'Rollup. Every key of this file reaches every service, so your own rollup can have its settings here too',
  fields,
  listeners: {
    http: { field: fields.restAddr, use: 'chat page and HTTP API' },
    execution: { field: fields.executionGrpcAddr, use: 'execution gRPC' },
  },
  ready: { listener: 'http', path: '/readyz' },
  needs: ['composer'],
  store: fields.dbFilepath,
  // Texts live until their block is executed, and a smaller young generation moves most of them to the old one first.
  memory: { young: 16, heap: 256 },
};
