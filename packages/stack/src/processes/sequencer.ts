import { fields } from '@switchyard/sequencer/config';
import { type Entry, type Program, type Running, runningSettings, type Text } from '../process.ts';

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

export interface SequencerOptions extends Running {
  readonly grpc: Text | undefined;
  readonly data: string;
  /** Names under which requests arrive, separated by commas. */
  readonly hostNames?: string | undefined;
  readonly engine:
    | { readonly kind: 'solo'; readonly rpc: Text | undefined; readonly genesis: string; readonly validatorKey: string }
    /** `rpc` is the URL of the CometBFT beside it. CometBFT has the genesis. */
    | { readonly kind: 'cometbft'; readonly abci: string; readonly rpc: string; readonly genesis?: string | undefined };
  /** Bounds on what it stores, which otherwise is everything. */
  readonly retain?: { readonly blocks: number; readonly megabytes: number } | undefined;
  readonly quietBlockMs?: number | undefined;
}

export function sequencerSettings(of: SequencerOptions): Entry[] {
  const { engine } = of;
  return [
    ...(engine.kind === 'solo'
      ? ([
          [fields.rpcAddr, engine.rpc],
          [fields.genesisFilepath, engine.genesis],
          [fields.privValidatorKeyFile, engine.validatorKey],
        ] as const)
      : ([
          [fields.engine, 'cometbft'],
          [fields.listenAddr, engine.abci],
          [fields.cometbftRpcUrl, engine.rpc],
          [fields.genesisFilepath, engine.genesis],
        ] as const)),
    [fields.grpcAddr, of.grpc],
    [fields.allowedHosts, of.hostNames],
    [fields.dbFilepath, of.data],
    [fields.quietBlockIntervalMs, of.quietBlockMs],
    [fields.retainBlocks, of.retain?.blocks],
    [fields.retainMegabytes, of.retain?.megabytes],
    ...runningSettings(sequencer, of),
  ];
}
