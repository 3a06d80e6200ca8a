import { fields } from '@switchyard/faucet/config';
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

export const faucet: Program<typeof fields> = {
  name: 'faucet',
  title: 'Faucet of the EVM rollup; that of the sequencer has its own settings in networks-config.toml',
  fields,
  listeners: { http: { field: fields.listenAddr, use: 'faucet page and HTTP API' } },
  ready: { listener: 'http', path: '/readyz' },
  needs: ['sequencer', 'messenger', 'evm'],
  store: fields.dbFilepath,
  enabled: fields.enabled,
  memory: { young: 4, heap: 256 },
};

export const FAUCET_KINDS = ['evm', 'sequencer', 'messenger'] as const;
export type FaucetKind = (typeof FAUCET_KINDS)[number];

/** Common name of a coin of 10^9 units of an asset: `TIA` for `ntia`, which counts billionths. */
export function coinOf(asset: string): string {
  return /^n[a-z]{2,}$/.test(asset) ? asset.slice(1).toUpperCase() : asset.slice(0, 20);
}

export interface FaucetOptions extends Running, Reached, Paged {
  readonly kind: FaucetKind;
  readonly http: Text;
  /** False where there is nothing to pay on. */
  readonly enabled?: Text | undefined;
  readonly keyFile: string;
  /** Whether the key may be one that everybody has. */
  readonly allowDevKey?: boolean | undefined;
  readonly data: string;
  readonly sequencer?: SequencerAccess | undefined;
  /** JSON-RPC of the EVM node, and as browsers reach it. */
  readonly rpc?: Text | undefined;
  readonly walletRpc?: Text | undefined;
  /** HTTP API of the messenger. */
  readonly rollup?: Text | undefined;
  readonly explorer?: Text | undefined;
  /** Chain id and name on the page. */
  readonly chainId?: string | undefined;
  readonly name?: string | undefined;
  readonly asset?: Text | undefined;
  readonly symbol?: Text | undefined;
  readonly precision?: number | undefined;
  readonly amount?: string | undefined;
  readonly minutes?: number | undefined;
  /** Claims of one client address in that time. */
  readonly clientClaims?: number | undefined;
  readonly allowedOrigins?: Text | undefined;
}

export function faucetSettings(of: FaucetOptions): Entry[] {
  return [
    [fields.kind, of.kind],
    [fields.enabled, of.enabled],
    [fields.listenAddr, of.http],
    [fields.rpcUrl, of.rpc],
    [fields.sequencerAbciEndpoint, of.sequencer?.rpc],
    [fields.sequencerGrpcEndpoint, of.sequencer?.grpc],
    [fields.rollupUrl, of.rollup],
    [fields.chainId, of.chainId],
    [fields.name, of.name],
    [fields.asset, of.asset],
    [fields.symbol, of.symbol],
    [fields.precision, of.precision],
    [fields.amount, of.amount],
    [fields.minutes, of.minutes],
    [fields.clientClaims, of.clientClaims],
    [fields.privateKeyFile, of.keyFile],
    [fields.allowDevKey, of.allowDevKey || undefined],
    [fields.dbFilepath, of.data],
    [fields.explorerUrl, of.explorer],
    [fields.walletRpcUrl, of.walletRpc],
    [fields.allowedOrigins, of.allowedOrigins],
    [fields.allowedHosts, of.hostNames],
    [fields.proxyCount, of.proxies],
    [fields.trustedProxies, of.trustedProxies],
    [fields.pages, of.pages],
    ...runningSettings(faucet, of),
  ];
}
