import { fields } from '@switchyard/composer/config';
import {
  type Entry,
  type Program,
  type Running,
  runningSettings,
  type SequencerAccess,
  type Text,
} from '../process.ts';

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

export interface ComposerOptions extends Running {
  /** Where rollups submit, and where health is asked. */
  readonly collector: Text;
  readonly health: Text;
  readonly sequencer: SequencerAccess;
  readonly keyFile: string;
  /** Whether the key may be one that everybody has. */
  readonly allowDevKey?: boolean | undefined;
  readonly data: string;
  readonly feeAsset: Text;
  readonly maxBytesPerBundle?: number | string | undefined;
  readonly maxSubmitIntervalMs?: number | undefined;
  /** Shared with the rollups, on one machine. */
  readonly secretFile?: Text | undefined;
}

export function composerSettings(of: ComposerOptions): Entry[] {
  return [
    [fields.grpcAddr, of.collector],
    [fields.apiListenAddr, of.health],
    [fields.sequencerAbciEndpoint, of.sequencer.rpc],
    [fields.sequencerGrpcEndpoint, of.sequencer.grpc],
    [fields.sequencerChainId, of.sequencer.chainId],
    [fields.sequencerAddressPrefix, of.sequencer.addressPrefix],
    [fields.privateKeyFile, of.keyFile],
    [fields.allowDevKey, of.allowDevKey || undefined],
    [fields.dbFilepath, of.data],
    [fields.maxSubmitIntervalMs, of.maxSubmitIntervalMs],
    [fields.maxBytesPerBundle, of.maxBytesPerBundle],
    [fields.feeAsset, of.feeAsset],
    [fields.grpcSecretFile, of.secretFile],
    ...runningSettings(composer, of),
  ];
}
