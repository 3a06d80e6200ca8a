import { evmFields as fields } from '@switchyard/evm/config';
import type { Program } from '../process.ts';

export const evm: Program<typeof fields> = {
  name: 'evm',
  title: 'EVM rollup. The block rules, such as gas limit and base fee, are in its genesis file',
  fields,
  listeners: {
    http: { field: fields.httpAddr, use: 'Ethereum JSON-RPC' },
    ws: { field: fields.wsAddr, use: 'Ethereum JSON-RPC, websocket' },
    execution: { field: fields.executionGrpcAddr, use: 'execution gRPC' },
  },
  ready: { listener: 'http', path: '/readyz' },
  needs: ['composer'],
  store: fields.dbFilepath,
  unshared: [fields.devAccounts],
  memory: { young: 16, heap: 1024 },
};
