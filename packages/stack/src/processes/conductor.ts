import { fields } from '@switchyard/conductor/config';
import {
  type Entry,
  type Program,
  type Running,
  runningSettings,
  type SequencerAccess,
  type Text,
} from '../process.ts';

export const conductor: Program<typeof fields> = {
  name: 'conductor',
  title: 'Conductor',
  fields,
  listeners: { health: { field: fields.apiListenAddr, use: 'health' } },
  ready: { listener: 'health', path: '/readyz' },
  needs: ['sequencer', 'da', 'messenger', 'evm'],
  documented: [fields.sequencerRequestsPerSecond],
  memory: { young: 4, heap: 256 },
};

/** Whether a conductor of this level reads firm blocks from a data-availability layer. */
export function readsLayer(level: string | undefined): boolean {
  return /^(SoftAndFirm|FirmOnly)$/i.test(level ?? '');
}

/** The data-availability layer that firm blocks are read from. */
export interface LayerAccess {
  /** JSON-RPC of a node, the file with its token, and its chain. */
  readonly url: Text | undefined;
  readonly tokenFile?: Text | undefined;
  readonly chainId: Text | undefined;
  /** A block that is known to be right. */
  readonly trustedHeight?: Text | undefined;
  readonly trustedHash?: Text | undefined;
  /** File for the newest header that was verified. */
  readonly headerFile?: Text | undefined;
  /** Accounts whose blobs alone are read, separated by commas. */
  readonly authors?: Text | undefined;
  /** Between two looks at the layer. */
  readonly blockTimeMs?: Text | undefined;
}

export interface ConductorOptions extends Running {
  readonly execution: Text | undefined;
  readonly sequencer: SequencerAccess;
  readonly commitLevel: Text | undefined;
  readonly health: Text;
  readonly layer?: LayerAccess | undefined;
  /** Pace of the sequencer. */
  readonly blockTimeMs?: Text | undefined;
  /** Shared with the rollup, on one machine. */
  readonly secretFile?: Text | undefined;
}

export function conductorSettings(of: ConductorOptions): Entry[] {
  const { layer } = of;
  return [
    [fields.executionRpcUrl, of.execution],
    [fields.executionCommitLevel, of.commitLevel],
    [fields.sequencerGrpcUrl, of.sequencer.grpc],
    [fields.sequencerCometbftUrl, of.sequencer.rpc],
    [fields.expectedSequencerChainId, of.sequencer.chainId],
    [fields.sequencerBlockTimeMs, of.blockTimeMs],
    [fields.apiListenAddr, of.health],
    [fields.executionSecretFile, of.secretFile],
    [fields.celestiaNodeHttpUrl, layer?.url],
    [fields.celestiaTokenFile, layer?.tokenFile],
    [fields.expectedCelestiaChainId, layer?.chainId],
    [fields.celestiaTrustedHeight, layer?.trustedHeight],
    [fields.celestiaTrustedHash, layer?.trustedHash],
    [fields.celestiaHeaderFilepath, layer?.headerFile],
    [fields.celestiaAuthors, layer?.authors],
    [fields.celestiaBlockTimeMs, layer?.blockTimeMs],
    ...runningSettings(conductor, of),
  ];
}
