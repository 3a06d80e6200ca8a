import { networkPagesText } from '@switchyard/service/settings';
import { payingBridges } from '../manifest/bridges.ts';
import type { Manifest } from '../manifest/fields.ts';
import type { Host } from '../names.ts';
import type { LayerAccess } from '../network.ts';
import { settingsFor } from '../process.ts';
import { composer } from '../processes/composer.ts';
import { conductor } from '../processes/conductor.ts';
import { LOCAL_LAYER, localLayerSettings } from '../processes/da.ts';
import { evm } from '../processes/evm.ts';
import { explorer } from '../processes/explorer.ts';
import { faucet } from '../processes/faucet.ts';
import { messenger } from '../processes/messenger.ts';
import { relayer } from '../processes/relayer.ts';
import { withdrawer } from '../processes/withdrawer.ts';
import { isWithdrawer, type LayerProcess, type Process, WITHDRAWERS, type Withdrawer } from '../programs.ts';
import { type Entry, settingsIn } from '../values.ts';
import { daLightEndpoint, daToken, readsFirm, trustedBlock } from './da-light-endpoint.ts';
import { EMPTY_LAYER_BLOCK_MS, hasLocalLayer, LOCAL_BATCH_MS } from './layer.ts';
import { clusterSite, type Site } from './site.ts';

/** Environment variables, by the names that the processes' own tables have. */
export type Settings = Readonly<Record<string, string>>;

/** Address of a rollup in a cluster for people and wallets. */
export function publicUrl(host: Host, manifest: Manifest): string {
  return clusterSite(manifest).url(host);
}

export interface SettingsOptions {
  /** Whether a process with a published key is to run. */
  readonly allowDevKey?: boolean;
  /** Its host; a pod, if absent. */
  readonly site?: Site;
}

/** The variables of a process. */
export function getSettings(
  process: Process,
  manifest: Manifest,
  { allowDevKey = false, site = clusterSite(manifest) }: SettingsOptions = {},
): Settings {
  const running = toRunning(manifest, site.listen(process, 'metrics'));
  const settled = isWithdrawer(process) ? getPayer(process) : own[process];
  return settingsIn(settled(manifest, site, running, allowDevKey || undefined));
}

/** The variables of the local layer and of its relayer. @param account Account of the relayer's key, `celestia1...`. */
export function getLayerSettings(process: LayerProcess, manifest: Manifest, site: Site, account: string): Settings {
  const { layer } = site;
  const running = toRunning(manifest, layer.metrics[process]);
  const dbFilepath = site.data(process);
  if (process === 'da') {
    const item = { apiListenAddr: layer.rpc, grpcAddr: layer.grpc, dbFilepath };
    return settingsIn(localLayerSettings(account, { ...item, emptyBlockIntervalMs: EMPTY_LAYER_BLOCK_MS, ...running }));
  }
  const entries = settingsFor(relayer, {
    ...{ ...toNode(manifest), sequencerChainId: manifest.sequencerChainId, startHeight: manifest.sequencerHeight },
    ...{ daGrpcEndpoint: `http://${layer.grpc}`, daChainId: LOCAL_LAYER, privateKeyFile: site.keyFile('relayer') },
    ...{ batchMs: LOCAL_BATCH_MS, dbFilepath, apiListenAddr: layer.health, allowedHosts: layer.hostNames },
    ...running,
  });
  return settingsIn(entries);
}

const toRunning = ({ logLevel, useTTY }: Manifest, metrics: string) => ({
  ...{ log: logLevel, prettyPrint: useTTY, metricsHttpListenerAddr: metrics },
});

const toNode = ({ sequencerRpc, sequencerGrpc }: Manifest) => ({
  ...{ sequencerAbciEndpoint: sequencerRpc, sequencerGrpcEndpoint: sequencerGrpc },
});

const toSequencer = (manifest: Manifest) => ({
  ...{ ...toNode(manifest), sequencerChainId: manifest.sequencerChainId },
  sequencerAddressPrefix: manifest.sequencerAddressPrefix,
});

type Settled = (
  manifest: Manifest,
  site: Site,
  running: ReturnType<typeof toRunning>,
  /** True, or undefined. */
  allowDevKey: true | undefined,
) => readonly Entry[];

/** Pays out of one bridge account. */
const getPayer =
  (process: Withdrawer): Settled =>
  (manifest, site, running, allowDevKey) => {
    const { address, feeAsset } = payingBridges(manifest)[WITHDRAWERS.indexOf(process)] ?? {};
    return settingsFor(withdrawer, {
      // Alongside the program of another, a local network would leave it out.
      ...{ enabled: true, kind: manifest.kind === 'evm' ? 'evm' : 'framework' },
      ...{ apiListenAddr: site.listen(process, 'http'), rollupUrl: site.node, ...toSequencer(manifest) },
      ...{ bridgeAddress: address, feeAsset },
      ...{ privateKeyFile: site.keyFile(process), allowDevKey },
      commitment: manifest.withdrawerCommitment === 'soft' ? 'soft' : undefined,
      ...{ dbFilepath: site.data(process), allowedHosts: site.hostNames(process), ...running },
    });
  };

const own: Readonly<Record<Exclude<Process, Withdrawer>, Settled>> = {
  rollup: (manifest, site, running) =>
    settingsFor(messenger, {
      ...{ genesisFilepath: site.genesisFile, dbFilepath: site.data('rollup'), executionGrpcAddr: site.execution },
      ...{ restAddr: site.listen('rollup', 'http'), composerAddr: `http://${site.collector}` },
      ...{ sequencerChainId: manifest.sequencerChainId, allowedHosts: site.hostNames('rollup') },
      ...{ ...site.proxies, explorerUrl: site.url('blockscout'), faucetUrl: undefined },
      ...{ pages: getPages(manifest, site), ...running },
    }),
  evm: (_, site, running) =>
    settingsFor(evm, {
      ...{ genesisFilepath: site.genesisFile, dbFilepath: site.data('evm'), executionGrpcAddr: site.execution },
      ...{ httpAddr: site.listen('evm', 'http'), wsAddr: site.listen('evm', 'ws') },
      ...{ composerAddr: `http://${site.collector}`, allowedHosts: site.hostNames('evm') },
      ...{ ...site.proxies, ...running },
    }),
  composer: (manifest, site, running, allowDevKey) =>
    settingsFor(composer, {
      ...{ grpcAddr: site.collector, apiListenAddr: site.listen('composer', 'health'), ...toSequencer(manifest) },
      ...{ privateKeyFile: site.keyFile('composer'), allowDevKey, dbFilepath: site.data('composer') },
      ...{ maxBytesPerBundle: manifest.maxBytesPerBundle, feeAsset: manifest.feeAsset, ...running },
    }),
  conductor: (manifest, site, running) =>
    settingsFor(conductor, {
      ...{ executionRpcUrl: `http://${site.execution}`, executionCommitLevel: manifest.executionCommitLevel },
      ...{ sequencerGrpcUrl: manifest.sequencerGrpc, sequencerCometbftUrl: manifest.sequencerRpc },
      ...{ expectedSequencerChainId: manifest.sequencerChainId, sequencerBlockTimeMs: undefined },
      apiListenAddr: site.listen('conductor', 'health'),
      ...{ ...(readsFirm(manifest) && toLayer(manifest, site)), ...running },
    }),
  faucet: (manifest, site, running, allowDevKey) =>
    settingsFor(faucet, {
      ...(manifest.kind === 'evm'
        ? { kind: 'evm', rpcUrl: site.node, rollupUrl: undefined, chainId: String(manifest.networkId) }
        : { kind: 'rollup', rpcUrl: undefined, rollupUrl: site.node }),
      ...(manifest.kind === 'evm' ? {} : { action: manifest.faucetAction, asset: manifest.faucetAsset }),
      walletRpcUrl: manifest.kind === 'evm' ? site.url('executor') : undefined,
      ...{ listenAddr: site.listen('faucet', 'http'), name: manifest.name, explorerUrl: site.url('blockscout') },
      ...{ amount: manifest.faucetAmount, minutes: manifest.faucetMinutes },
      ...{ privateKeyFile: site.keyFile('faucet'), allowDevKey, dbFilepath: site.data('faucet') },
      ...{ allowedHosts: site.hostNames('faucet'), ...site.proxies, pages: getPages(manifest, site), ...running },
    }),
  explorer: (manifest, site, running) =>
    settingsFor(explorer, {
      ...{ listenAddr: site.listen('explorer', 'http'), ...toNode(manifest) },
      ...{ sequencerAddressPrefix: manifest.sequencerAddressPrefix, chainId: manifest.sequencerChainId },
      relayerUrl: hasLocalLayer(manifest) ? `http://${site.relayer}` : manifest.daRelayer,
      ...(manifest.kind === 'evm'
        ? { evmUrls: site.node, evmWalletUrls: site.url('executor'), rollupUrls: undefined }
        : { evmUrls: undefined, rollupUrls: site.node }),
      // Nothing outside of their pods reaches the composer and payers of withdrawals.
      ...{ composerUrl: undefined, withdrawerUrls: undefined },
      dbFilepath: site.data('explorer'),
      ...{ allowedHosts: site.hostNames('explorer'), ...site.proxies, pages: getPages(manifest, site), ...running },
    }),
};

/** Pages that people reach from outside. */
const getPages = (manifest: Manifest, site: Site): string =>
  networkPagesText({
    network: manifest.name,
    pages: [
      { kind: 'explorer', title: '', url: site.url('blockscout') },
      ...(manifest.kind === 'defined' ? [{ kind: 'api', title: '', url: `${site.url('api')}/docs` } as const] : []),
      ...(manifest.faucetEnabled ? [{ kind: 'faucet', title: '', url: site.url('faucet') } as const] : []),
    ],
  });

/** The data-availability layer that firm blocks are read from. */
function toLayer(manifest: Manifest, site: Site): LayerAccess {
  const { daKind, daUrl, daNetwork, daAuthors } = manifest;
  const trusted = trustedBlock(manifest);
  const urls = { light: daLightEndpoint(manifest)?.url, external: daUrl, local: `http://${site.layer.rpc}` };
  return {
    celestiaNodeHttpUrl: urls[daKind],
    celestiaTokenFile: daToken(manifest) && site.tokenFile,
    expectedCelestiaChainId: daKind === 'local' ? LOCAL_LAYER : daNetwork,
    celestiaTrustedHeight: trusted && String(trusted.height),
    celestiaTrustedHash: trusted?.hash.toLowerCase(),
    celestiaHeaderFilepath: `${site.data('conductor')}/celestia-header.json`,
    celestiaAuthors: daAuthors,
  };
}

/** The setting that takes a database's address from a Secret. */
export const EXPLORER_DB_URL = explorer.fields.dbUrl.names[0];
