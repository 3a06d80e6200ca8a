import { fields } from '@switchyard/relayer/config';
import {
  type Entry,
  type Program,
  type Running,
  runningSettings,
  type SequencerAccess,
  type Text,
} from '../process.ts';

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

export interface RelayerOptions extends Running {
  readonly sequencer: SequencerAccess;
  /** First block that is posted. */
  readonly startHeight?: bigint | undefined;
  /** Consensus nodes of the layer, separated by commas, and their chain. */
  readonly layerGrpc: Text | undefined;
  readonly layerChainId: Text | undefined;
  readonly keyFile: string;
  /** Whether the key may be one that everybody has, for a layer that is not on loopback. */
  readonly allowDevKey?: boolean | undefined;
  /** How long blocks are collected. The local layer makes a block each second, which costs nothing. */
  readonly batchMs?: number | undefined;
  readonly data: string;
  /** Where its API listens. */
  readonly health: Text;
  /** Names under which others reach that, separated by commas. */
  readonly hostNames?: string | undefined;
}

export function relayerSettings(of: RelayerOptions): Entry[] {
  return [
    [fields.sequencerAbciEndpoint, of.sequencer.rpc],
    [fields.sequencerGrpcEndpoint, of.sequencer.grpc],
    [fields.sequencerChainId, of.sequencer.chainId],
    [fields.startHeight, of.startHeight],
    [fields.daGrpcEndpoint, of.layerGrpc],
    [fields.daChainId, of.layerChainId],
    [fields.privateKeyFile, of.keyFile],
    [fields.allowDevKey, of.allowDevKey || undefined],
    [fields.batchMs, of.batchMs],
    [fields.dbFilepath, of.data],
    [fields.apiListenAddr, of.health],
    [fields.allowedHosts, of.hostNames],
    ...runningSettings(relayer, of),
  ];
}
