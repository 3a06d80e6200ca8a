import { fields } from '@switchyard/withdrawer/config';
import {
  type Entry,
  type Program,
  type Running,
  runningSettings,
  type SequencerAccess,
  type Text,
} from '../process.ts';

export const withdrawer: Program<typeof fields> = {
  name: 'withdrawer',
  title: 'Withdrawer: pays withdrawals of the rollup out of its bridge account',
  fields,
  listeners: { http: { field: fields.apiListenAddr, use: 'withdrawals and balance sheet' } },
  ready: { listener: 'http', path: '/readyz' },
  needs: ['sequencer', 'messenger', 'evm'],
  store: fields.dbFilepath,
  enabled: fields.enabled,
  memory: { young: 4, heap: 256 },
};

export interface WithdrawerOptions extends Running {
  readonly kind: 'evm' | 'framework';
  readonly http: Text;
  /** False where there is no rollup that it could pay for. */
  readonly enabled?: Text | undefined;
  /** HTTP API of the rollup's node, or its JSON-RPC. */
  readonly rollup?: Text | undefined;
  readonly sequencer: SequencerAccess;
  /** Bridge account; that of the key, if absent. */
  readonly bridge?: Text | undefined;
  readonly keyFile: string;
  /** Whether the key may be one that everybody has. */
  readonly allowDevKey?: boolean | undefined;
  /** Blocks whose withdrawals are paid: final ones, if absent. */
  readonly commitment?: 'soft' | undefined;
  readonly pollMs?: number | undefined;
  readonly data: string;
  /** Names under which others reach its API, separated by commas. */
  readonly hostNames?: string | undefined;
}

export function withdrawerSettings(of: WithdrawerOptions): Entry[] {
  return [
    [fields.kind, of.kind],
    [fields.enabled, of.enabled],
    [fields.apiListenAddr, of.http],
    [fields.rollupUrl, of.rollup],
    [fields.sequencerAbciEndpoint, of.sequencer.rpc],
    [fields.sequencerGrpcEndpoint, of.sequencer.grpc],
    [fields.sequencerChainId, of.sequencer.chainId],
    [fields.sequencerAddressPrefix, of.sequencer.addressPrefix],
    [fields.bridgeAddress, of.bridge],
    [fields.privateKeyFile, of.keyFile],
    [fields.allowDevKey, of.allowDevKey || undefined],
    [fields.commitment, of.commitment],
    [fields.pollMs, of.pollMs],
    [fields.dbFilepath, of.data],
    [fields.allowedHosts, of.hostNames],
    ...runningSettings(withdrawer, of),
  ];
}
