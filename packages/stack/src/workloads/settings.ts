import { fields } from '@switchyard/explorer/config';
import { networkPagesText } from '@switchyard/service/settings';
import type { Manifest } from '../manifest/fields.ts';
import type { Host } from '../names.ts';
import { type Entry, type Running, settingsIn } from '../process.ts';
import { composerSettings } from '../processes/composer.ts';
import { conductorSettings, type LayerAccess } from '../processes/conductor.ts';
import { LOCAL_LAYER, localLayerSettings } from '../processes/da.ts';
import { evmSettings } from '../processes/evm.ts';
import { explorerSettings } from '../processes/explorer.ts';
import { faucetSettings } from '../processes/faucet.ts';
import { relayerSettings } from '../processes/relayer.ts';
import { withdrawerSettings } from '../processes/withdrawer.ts';
import type { LayerProcess, Process } from '../programs.ts';
import { daLightEndpoint, daToken, readsFirm, trustedBlock } from './da-light-endpoint.ts';
import { EMPTY_LAYER_BLOCK_MS, hasLocalLayer, LOCAL_BATCH_MS, sequencerOf } from './layer.ts';
import { clusterSite, type Site } from './site.ts';

/** Environment variables, by the names that the processes' own tables have. */
export type Settings = Readonly<Record<string, string>>;

/** Where people and wallets reach a rollup in a cluster. */
export function publicUrl(host: Host, manifest: Manifest): string {
  return clusterSite(manifest).url(host);
}

export interface SettingsOptions {
  /** Whether a process with a published key is to run. */
  readonly allowDevKey?: boolean;
  /** Where it runs; in a pod, if absent. */
  readonly site?: Site;
}

/** The variables of a process. */
export function settingsOf(
  process: Process,
  manifest: Manifest,
  { allowDevKey = false, site = clusterSite(manifest) }: SettingsOptions = {},
): Settings {
  const running = runningOf(manifest, site.listen(process, 'metrics'));
  return settingsIn(own[process](manifest, site, running, allowDevKey));
}

/** The variables of the local layer and of its relayer. @param account Account of the relayer's key, `celestia1...`. */
export function layerSettingsOf(process: LayerProcess, manifest: Manifest, site: Site, account: string): Settings {
  const { layer } = site;
  const running = runningOf(manifest, layer.metrics[process]);
  const data = site.data(process);
  if (process === 'da') {
    const { rpc, grpc } = layer;
    return settingsIn(localLayerSettings({ account, rpc, grpc, data, emptyBlockMs: EMPTY_LAYER_BLOCK_MS, ...running }));
  }
  const entries = relayerSettings({
    ...{ sequencer: sequencerOf(manifest), startHeight: manifest.sequencerHeight },
    ...{ layerGrpc: `http://${layer.grpc}`, layerChainId: LOCAL_LAYER, batchMs: LOCAL_BATCH_MS },
    ...{ keyFile: site.keyFile('relayer'), health: layer.health, hostNames: layer.hostNames, data },
    ...running,
  });
  return settingsIn(entries);
}

const runningOf = ({ logLevel, useTTY }: Manifest, metrics: string): Running => ({
  ...{ log: logLevel, prettyPrint: useTTY, metrics },
});

type Settled = (manifest: Manifest, site: Site, running: Running, allowDevKey: boolean) => readonly Entry[];

const own: Readonly<Record<Process, Settled>> = {
  evm: (_, site, running) =>
    evmSettings({
      ...{ http: site.listen('evm', 'http'), ws: site.listen('evm', 'ws'), execution: site.execution },
      ...{ genesis: site.genesisFile, data: site.data('evm'), collector: `http://${site.collector}` },
      ...{ hostNames: site.hostNames('evm'), ...site.proxies },
      ...running,
    }),
  composer: (manifest, site, running, allowDevKey) =>
    composerSettings({
      ...{ collector: site.collector, health: site.listen('composer', 'health'), sequencer: sequencerOf(manifest) },
      ...{ keyFile: site.keyFile('composer'), allowDevKey, data: site.data('composer') },
      ...{ feeAsset: manifest.feeAsset, maxBytesPerBundle: manifest.maxBytesPerBundle },
      ...running,
    }),
  conductor: (manifest, site, running) =>
    conductorSettings({
      ...{ execution: `http://${site.execution}`, commitLevel: manifest.executionCommitLevel },
      ...{ sequencer: sequencerOf(manifest), health: site.listen('conductor', 'health') },
      layer: readsFirm(manifest) ? layerOf(manifest, site) : undefined,
      ...running,
    }),
  withdrawer: (manifest, site, running, allowDevKey) =>
    withdrawerSettings({
      ...{ kind: 'evm', http: site.listen('withdrawer', 'http'), rollup: site.rpc, sequencer: sequencerOf(manifest) },
      ...{ bridge: manifest.bridgeAddress, keyFile: site.keyFile('withdrawer'), allowDevKey },
      commitment: manifest.withdrawerCommitment === 'soft' ? 'soft' : undefined,
      ...{ data: site.data('withdrawer'), hostNames: site.hostNames('withdrawer') },
      ...running,
    }),
  faucet: (manifest, site, running, allowDevKey) =>
    faucetSettings({
      ...{ kind: 'evm', http: site.listen('faucet', 'http'), rpc: site.rpc, walletRpc: site.url('executor') },
      ...{ chainId: String(manifest.networkId), name: manifest.name },
      ...{ amount: manifest.faucetAmount, minutes: manifest.faucetMinutes, explorer: site.url('blockscout') },
      pages: pagesOf(manifest, site),
      ...{ keyFile: site.keyFile('faucet'), allowDevKey, data: site.data('faucet') },
      ...{ hostNames: site.hostNames('faucet'), ...site.proxies },
      ...running,
    }),
  explorer: (manifest, site, running) =>
    explorerSettings({
      ...{ http: site.listen('explorer', 'http'), sequencer: sequencerOf(manifest), data: site.data('explorer') },
      relayer: hasLocalLayer(manifest) ? `http://${site.relayer}` : manifest.daRelayer,
      ...{ evm: site.rpc, walletRpc: site.url('executor'), pages: pagesOf(manifest, site) },
      ...{ hostNames: site.hostNames('explorer'), ...site.proxies },
      ...running,
    }),
};

/** Pages that people reach from outside. */
const pagesOf = (manifest: Manifest, site: Site): string =>
  networkPagesText({
    network: manifest.name,
    pages: [
      { kind: 'explorer', title: '', url: site.url('blockscout') },
      ...(manifest.faucetEnabled ? [{ kind: 'faucet', title: '', url: site.url('faucet') } as const] : []),
    ],
  });

/** The data-availability layer that firm blocks are read from. */
function layerOf(manifest: Manifest, site: Site): LayerAccess {
  const { daKind, daUrl, daNetwork, daAuthors } = manifest;
  const trusted = trustedBlock(manifest);
  const urls = { light: daLightEndpoint(manifest)?.url, external: daUrl, local: `http://${site.layer.rpc}` };
  return {
    url: urls[daKind],
    tokenFile: daToken(manifest) && site.tokenFile,
    chainId: daKind === 'local' ? LOCAL_LAYER : daNetwork,
    trustedHeight: trusted && String(trusted.height),
    trustedHash: trusted?.hash.toLowerCase(),
    headerFile: `${site.data('conductor')}/celestia-header.json`,
    authors: daAuthors,
  };
}

/** The setting that takes a database's address from a Secret. */
export const EXPLORER_DB_URL = fields.dbUrl.names[0];
