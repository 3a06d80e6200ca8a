import { fields } from '@switchyard/sequencer/config';
import type { Program } from '../process.ts';

export const sequencer: Program<typeof fields> = {
  name: 'sequencer',
  title: 'Sequencer',
  fields,
  listeners: {
    rpc: { field: fields.rpcAddr, use: 'CometBFT RPC', engine: 'solo' },
    abci: { field: fields.listenAddr, use: 'ABCI', engine: 'cometbft' },
    grpc: { field: fields.grpcAddr, use: 'gRPC' },
  },
  ready: { listener: 'rpc', path: '/health' },
  needs: [],
  store: fields.dbFilepath,
  documented: [fields.blockIntervalMs, fields.emptyBlockIntervalMs, fields.mempoolParkedMaxTxCount],
  memory: { young: 4 },
};
