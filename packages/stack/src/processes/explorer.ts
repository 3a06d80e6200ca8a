import { fields } from '@switchyard/explorer/config';
import {
  type Entry,
  type Paged,
  type Program,
  type Reached,
  type Running,
  runningSettings,
  type SequencerAccess,
  type Text,
} from '../process.ts';

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

export interface ExplorerOptions extends Running, Reached, Paged {
  readonly http: Text;
  readonly sequencer: SequencerAccess;
  readonly data: string;
  readonly composer?: Text | undefined;
  readonly relayer?: Text | undefined;
  /** Withdrawers of the rollups, separated by commas. */
  readonly withdrawers?: Text | undefined;
  /** Rollups of the framework, and EVM nodes; the latter also as wallets reach them. Separated by commas. */
  readonly rollups?: Text | undefined;
  readonly evm?: Text | undefined;
  readonly walletRpc?: Text | undefined;
}

export function explorerSettings(of: ExplorerOptions): Entry[] {
  return [
    [fields.listenAddr, of.http],
    [fields.sequencerAbciEndpoint, of.sequencer.rpc],
    [fields.sequencerGrpcEndpoint, of.sequencer.grpc],
    [fields.sequencerAddressPrefix, of.sequencer.addressPrefix],
    [fields.chainId, of.sequencer.chainId],
    [fields.composerUrl, of.composer],
    [fields.relayerUrl, of.relayer],
    [fields.withdrawerUrls, of.withdrawers],
    [fields.rollupUrls, of.rollups],
    [fields.evmUrls, of.evm],
    [fields.evmWalletUrls, of.walletRpc],
    [fields.dbFilepath, of.data],
    [fields.allowedHosts, of.hostNames],
    [fields.proxyCount, of.proxies],
    [fields.trustedProxies, of.trustedProxies],
    [fields.pages, of.pages],
    ...runningSettings(explorer, of),
  ];
}
