import { fields } from '@switchyard/sequencer/config';
import type { Program } from '../process.ts';
import { findListener } from '../values.ts';
import { bound } from '../wiring.ts';

/** Settings that follow from other processes. */
type Follows = 'grpcAddr';

export const sequencer: Program<typeof fields, Follows> = {
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
  settings(member, { network: { kind, places, rpc, grpc }, usual }) {
    const retention = { quietBlockIntervalMs: 12_000, retainBlocks: 100_000, retainMegabytes: 128 };
    if (kind === 'cometbft')
      return {
        ...{ engine: 'cometbft', listenAddr: `tcp://${usual(member, 'abci')}` },
        ...{ cometbftRpcUrl: `http://${usual(member, 'rpc')}`, genesisFilepath: places.sequencerGenesis },
        ...{ grpcAddr: usual(member, 'grpc'), dbFilepath: places.data(`node-${member.node ?? 0}/sequencer`) },
        ...retention,
      };
    return {
      ...{ rpcAddr: bound(findListener(rpc)), genesisFilepath: places.sequencerGenesis },
      privValidatorKeyFile: places.config('priv_validator_key.json'),
      ...{ grpcAddr: bound(findListener(grpc)), dbFilepath: places.data('sequencer'), ...retention },
    };
  },
};
