import { fields as composer } from '@switchyard/composer/config';
import { fields as conductor } from '@switchyard/conductor/config';
import { evmFields as evm } from '@switchyard/evm/config';
import { fields as explorer } from '@switchyard/explorer/config';
import { fields as faucet } from '@switchyard/faucet/config';
import type { Field } from '@switchyard/service/settings';
import type { Manifest } from '../manifest/fields.ts';
import type { Host } from '../names.ts';
import type { Process } from '../processes.ts';
import { daLightEndpoint, daToken, readsFirm, trustedBlock } from './da-light-endpoint.ts';
import { hasLocalLayer, LOCAL_LAYER } from './layer.ts';
import { clusterSite, type Site } from './site.ts';

/** Environment variables, by the names that the processes' own tables have. */
export type Settings = Readonly<Record<string, string>>;

type Entry = readonly [field: Field<unknown>, value: string | number | undefined];

const TABLES = { evm, composer, conductor, faucet, explorer };

/** Where people and wallets reach a rollup in a cluster. */
export function publicUrl(host: Host, manifest: Manifest): string {
  return clusterSite(manifest).url(host);
}

/** Processes that sign refuse a published key, unless this is set. */
const ALLOW_DEV_KEY: Readonly<Partial<Record<Process, Field<unknown>>>> = {
  composer: composer.allowDevKey,
  faucet: faucet.allowDevKey,
};

export interface SettingsOptions {
  readonly allowDevKey?: boolean;
  readonly site?: Site;
}

/**
 * The variables of a process.
 *
 * @param allowDevKey Whether a process with a published key is to run.
 * @param site Where it runs; in a pod, if absent.
 */
export function settingsOf(
  process: Process,
  manifest: Manifest,
  { allowDevKey = false, site = clusterSite(manifest) }: SettingsOptions = {},
): Settings {
  const { log, prettyPrint, metricsHttpListenerAddr } = TABLES[process];
  const insisted = allowDevKey ? ALLOW_DEV_KEY[process] : undefined;
  const entries: readonly Entry[] = [
    ...own[process](manifest, site),
    ...(insisted === undefined ? [] : [[insisted, 'true'] as const]),
    [log, manifest.logLevel],
    [prettyPrint, String(manifest.useTTY)],
    [metricsHttpListenerAddr, site.listen(process, 'metrics')],
  ];
  const set = entries.filter(([, value]) => value !== undefined);
  return Object.fromEntries(set.map(([{ names }, value]) => [names[0], String(value)]));
}

const own: Readonly<Record<Process, (manifest: Manifest, site: Site) => readonly Entry[]>> = {
  evm: (_, site) => [
    [evm.genesisFilepath, site.genesisFile],
    [evm.dbFilepath, site.data('evm')],
    [evm.httpAddr, site.listen('evm', 'http')],
    [evm.wsAddr, site.listen('evm', 'ws')],
    [evm.executionGrpcAddr, site.execution],
    [evm.composerAddr, `http://${site.collector}`],
    [evm.allowedHosts, site.hostNames('evm')],
    [evm.proxyCount, site.proxies],
  ],
  composer: (manifest, site) => [
    [composer.apiListenAddr, site.listen('composer', 'health')],
    [composer.grpcAddr, site.collector],
    [composer.sequencerAbciEndpoint, manifest.sequencerRpc],
    [composer.sequencerGrpcEndpoint, manifest.sequencerGrpc],
    [composer.sequencerChainId, manifest.sequencerChainId],
    [composer.sequencerAddressPrefix, manifest.sequencerAddressPrefix],
    [composer.privateKeyFile, site.keyFile('composer')],
    [composer.dbFilepath, site.data('composer')],
    [composer.feeAsset, manifest.feeAsset],
    [composer.maxBytesPerBundle, manifest.maxBytesPerBundle],
  ],
  conductor: (manifest, site) => [
    [conductor.executionRpcUrl, `http://${site.execution}`],
    [conductor.executionCommitLevel, manifest.executionCommitLevel],
    [conductor.sequencerGrpcUrl, manifest.sequencerGrpc],
    [conductor.sequencerCometbftUrl, manifest.sequencerRpc],
    [conductor.expectedSequencerChainId, manifest.sequencerChainId],
    [conductor.apiListenAddr, site.listen('conductor', 'health')],
    ...(readsFirm(manifest) ? ofLayer(manifest, site) : []),
  ],
  faucet: (manifest, site) => [
    [faucet.kind, 'evm'],
    [faucet.listenAddr, site.listen('faucet', 'http')],
    [faucet.rpcUrl, site.rpc],
    [faucet.chainId, String(manifest.networkId)],
    [faucet.name, manifest.name],
    [faucet.amount, manifest.faucetAmount],
    [faucet.minutes, manifest.faucetMinutes],
    [faucet.privateKeyFile, site.keyFile('faucet')],
    [faucet.dbFilepath, site.data('faucet')],
    [faucet.explorerUrl, site.url('blockscout')],
    [faucet.walletRpcUrl, site.url('executor')],
    [faucet.allowedHosts, site.hostNames('faucet')],
    [faucet.proxyCount, site.proxies],
  ],
  explorer: (manifest, site) => [
    [explorer.listenAddr, site.listen('explorer', 'http')],
    [explorer.sequencerAbciEndpoint, manifest.sequencerRpc],
    [explorer.sequencerGrpcEndpoint, manifest.sequencerGrpc],
    [explorer.sequencerAddressPrefix, manifest.sequencerAddressPrefix],
    [explorer.chainId, manifest.sequencerChainId],
    [explorer.relayerUrl, hasLocalLayer(manifest) ? `http://${site.relayer}` : manifest.daRelayer],
    [explorer.evmUrls, site.rpc],
    [explorer.evmWalletUrls, site.url('executor')],
    [explorer.dbFilepath, site.data('explorer')],
    [explorer.allowedHosts, site.hostNames('explorer')],
    [explorer.proxyCount, site.proxies],
  ],
};

/** The data-availability layer that firm blocks are read from. */
function ofLayer(manifest: Manifest, site: Site): Entry[] {
  const { daKind, daUrl, daNetwork, daAuthors } = manifest;
  const trusted = trustedBlock(manifest);
  const urls = { light: daLightEndpoint(manifest)?.url, external: daUrl, local: `http://${site.layer.rpc}` };
  return [
    [conductor.celestiaNodeHttpUrl, urls[daKind]],
    [conductor.celestiaTokenFile, daToken(manifest) && site.tokenFile],
    [conductor.expectedCelestiaChainId, daKind === 'local' ? LOCAL_LAYER : daNetwork],
    [conductor.celestiaTrustedHeight, trusted && String(trusted.height)],
    [conductor.celestiaTrustedHash, trusted?.hash.toLowerCase()],
    [conductor.celestiaHeaderFilepath, `${site.data('conductor')}/celestia-header.json`],
    [conductor.celestiaAuthors, daAuthors],
  ];
}

/** The setting that takes a database's address from a Secret. */
export const EXPLORER_DB_URL = explorer.dbUrl.names[0];
