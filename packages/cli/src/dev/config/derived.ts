import { bool } from '@switchyard/service/settings';
import { celestiaSettings } from '../celestia/settings.ts';
import type { Instance, Network, ServiceEntry } from '../instance/instance.ts';
import { secretSettings } from '../instance/secrets.ts';
import { urlOfListener } from '../networks/listener-url.ts';
import { relayerAccount } from './relayer-key.ts';
import { isOfBase, ownVariable, programOf, roleOf, rollupBuiltin, rollupSetting, withRole } from './roles.ts';

/** Where something is written, for people. */
export interface Source {
  readonly file: string;
  readonly key: string;
}

export interface DerivedSetting {
  readonly name: string;
  readonly value: string;
  readonly from: Source;
}

/** A setting as the files have it. */
export interface Explicit extends Source {
  readonly value: string;
}

/** Reads an explicit setting of a service; `undefined` where no file sets it. */
type Lookup = (entry: ServiceEntry, name: string) => Explicit | undefined;

/**
 * Settings that follow from others, for one service. Chain, asset and ports are stored once, in the network's block and
 * at the service that listens; a file that sets one of these takes precedence.
 */
export function derivedSettings(instance: Instance, entry: ServiceEntry, lookup: Lookup): DerivedSetting[] {
  return [
    ...ofSecrets(instance),
    ...ofNetwork(instance, entry),
    ...ofComposer(instance, lookup),
    ...ofRelayers(instance, entry, lookup),
    ...ofRelayer(instance, lookup),
    ...ofRollups(instance, entry, lookup),
    ...ofPages(instance, entry, lookup),
    ...ofPace(instance, lookup),
    ...ofLayer(instance, lookup),
    ...celestiaSettings(instance, entry),
  ];
}

function ofSecrets({ paths }: Instance): DerivedSetting[] {
  return Object.entries(secretSettings(paths)).map(([name, value]) => ({
    name,
    value,
    from: { file: paths.config, key: value.slice(paths.config.length + 1) },
  }));
}

function ofNetwork({ network, paths }: Instance, entry: ServiceEntry): DerivedSetting[] {
  const from = (key: string): Source => ({ file: paths.networks, key: `networks.${network.name}.${key}` });
  const asset = { value: network.nativeDenom, from: from('native_denom') };
  const settings: DerivedSetting[] = [{ name: 'SVC_COMPOSER_FEE_ASSET', ...asset }];
  if (ownVariable(entry, 'SVC_FAUCET_KIND')?.value === 'sequencer') {
    settings.push({ name: 'SVC_FAUCET_ASSET', ...asset });
    settings.push({ name: 'SVC_FAUCET_SYMBOL', value: coinOf(asset.value), from: asset.from });
  }
  if (!isOfBase(network)) return settings;
  for (const [name, key, url] of [
    ['SVC_SEQUENCER_RPC_ADDR', 'sequencer_rpc', network.sequencerRpc],
    ['SVC_SEQUENCER_GRPC_ADDR', 'sequencer_grpc', network.sequencerGrpc],
  ] as const) {
    const value = listenOf(url);
    if (value !== undefined) settings.push({ name, value, from: from(key) });
  }
  return settings;
}

function ofComposer(instance: Instance, lookup: Lookup): DerivedSetting[] {
  const [composer] = withRole(instance.network, 'composer');
  const listens = composer && lookup(composer, 'SVC_COMPOSER_GRPC_ADDR');
  const http = composer && lookup(composer, 'SVC_COMPOSER_API_LISTEN_ADDR');
  return [
    ...follows('COMPOSER_ADDR', listens),
    ...follows('SVC_EVM_COMPOSER_ADDR', listens),
    ...follows('SVC_EXPLORER_COMPOSER_URL', http),
  ];
}

function ofRelayer({ network }: Instance, lookup: Lookup): DerivedSetting[] {
  const relayer = network.services.find((each) => programOf(each) === 'relayer');
  return follows('SVC_EXPLORER_RELAYER_URL', relayer && lookup(relayer, 'SVC_RELAYER_API_LISTEN_ADDR'));
}

/** Blobs of others are not even opened, whatever they post; those of a relayer here are, up to the largest there can be. */
function ofRelayers({ network }: Instance, entry: ServiceEntry, lookup: Lookup): DerivedSetting[] {
  if (roleOf(entry) !== 'conductor') return [];
  const keys = network.services.flatMap((each) =>
    programOf(each) === 'relayer' ? (lookup(each, 'SVC_RELAYER_PRIVATE_KEY_FILE') ?? []) : [],
  );
  const accounts = keys.map(({ value }) => relayerAccount(value));
  const [from] = keys;
  // Of one whose account is not known, everything would be passed over.
  if (from === undefined || accounts.includes(undefined)) return [];
  return [{ name: 'SVC_CONDUCTOR_CELESTIA_AUTHORS', value: accounts.join(','), from }];
}

/** Conductors feed the rollups in the order of the file; what is no conductor is given the first rollup. */
function ofRollups({ network }: Instance, entry: ServiceEntry, lookup: Lookup): DerivedSetting[] {
  const rollups = withRole(network, 'rollup');
  const place = withRole(network, 'conductor').findIndex(({ label }) => label === entry.label);
  const fed = rollups[Math.max(place, 0)];
  const evm = rollups.find((each) => rollupBuiltin(each) === 'evm');
  const execution = fed && lookup(fed, rollupSetting(fed, 'EXECUTION_GRPC_ADDR'));
  const http = evm && lookup(evm, 'SVC_EVM_HTTP_ADDR');
  return [
    ...follows('SVC_CONDUCTOR_EXECUTION_RPC_URL', execution),
    ...follows('SVC_FAUCET_RPC_URL', http),
    ...follows('SVC_FAUCET_ROLLUP_URL', messengerListener(network, lookup)),
    ...ofExplorer(rollups, lookup),
  ];
}

function messengerListener(network: Network, lookup: Lookup): Explicit | undefined {
  const messenger = network.services.find((each) => programOf(each) === 'messenger');
  return messenger && lookup(messenger, 'REST_ADDR');
}

/** Which page leads to which, by the URLs that browsers on this machine use. */
function ofPages({ network, paths }: Instance, entry: ServiceEntry, lookup: Lookup): DerivedSetting[] {
  const program = programOf(entry);
  const isStarted = (each: ServiceEntry, setting: string) =>
    bool.parse(lookup(each, setting)?.value ?? 'true', {}) !== false;
  const explorer = network.services.find((each) => programOf(each) === 'explorer');
  const explorerPage =
    explorer !== undefined && isStarted(explorer, 'SVC_EXPLORER_ENABLED')
      ? lookup(explorer, 'SVC_EXPLORER_LISTEN_ADDR')
      : undefined;
  const paysMessenger = (each: ServiceEntry) =>
    programOf(each) === 'faucet' && lookup(each, 'SVC_FAUCET_KIND')?.value === 'messenger';
  if (program === 'faucet') {
    const evm = network.services.find((each) => programOf(each) === 'evm');
    const listed: DerivedSetting[] = [
      ...follows('SVC_FAUCET_EXPLORER_URL', explorerPage),
      ...follows('SVC_FAUCET_WALLET_RPC_URL', evm && lookup(evm, 'SVC_EVM_HTTP_ADDR')),
    ];
    if (!paysMessenger(entry)) return listed;
    const chat = messengerListener(network, lookup);
    // Where another program has taken the place of the messenger, there is nothing to pay on.
    const from = { file: paths.networks, key: `networks.${network.name}.services` };
    if (chat === undefined) return [...listed, { name: 'SVC_FAUCET_ENABLED', value: 'false', from }];
    // The chat page claims for its user.
    return [...listed, { name: 'SVC_FAUCET_ALLOWED_ORIGINS', value: originsOf(urlOfListener(chat.value)), from: chat }];
  }
  if (program !== 'messenger') return [];
  const faucet = network.services.find((each) => paysMessenger(each) && isStarted(each, 'SVC_FAUCET_ENABLED'));
  return [
    ...follows('EXPLORER_URL', explorerPage),
    ...follows('FAUCET_URL', faucet && lookup(faucet, 'SVC_FAUCET_LISTEN_ADDR')),
  ];
}

/** A browser tells the names of one machine apart. */
function originsOf(url: string): string {
  const { origin } = new URL(url);
  return [...new Set([origin, origin.replace('//127.0.0.1:', '//localhost:')])].join(',');
}

/** It follows the rollups of the framework, which all have the same HTTP API, and those of the EVM. */
function ofExplorer(rollups: readonly ServiceEntry[], lookup: Lookup): DerivedSetting[] {
  const isEvm = (each: ServiceEntry) => rollupBuiltin(each) === 'evm';
  const listeners = (entries: readonly ServiceEntry[], setting: string) =>
    entries.flatMap((each) => lookup(each, setting) ?? []);
  return [
    ...followsAll(
      'SVC_EXPLORER_ROLLUP_URLS',
      listeners(
        rollups.filter((each) => !isEvm(each)),
        'REST_ADDR',
      ),
    ),
    ...followsAll('SVC_EXPLORER_EVM_URLS', listeners(rollups.filter(isEvm), 'SVC_EVM_HTTP_ADDR')),
  ];
}

function followsAll(name: string, listens: readonly Explicit[]): DerivedSetting[] {
  const [first] = listens;
  const value = listens.map((each) => urlOfListener(each.value)).join(',');
  return first === undefined ? [] : [{ name, value, from: first }];
}

function follows(name: string, listens: Explicit | undefined): DerivedSetting[] {
  return listens === undefined ? [] : [{ name, value: urlOfListener(listens.value), from: listens }];
}

/** Between two looks at a layer on this machine; a light node of others is asked less often. */
const LAYER_POLL_MS = '250';

/** Where blocks are posted, and read back from: they are firm once they were read there. */
function ofLayer({ network, paths }: Instance, lookup: Lookup): DerivedSetting[] {
  const layer = network.services.find((each) => programOf(each) === 'da' || each.label === 'celestia-light');
  const from = { file: paths.networks, key: `networks.${network.name}.services${layer ? `.${layer.label}` : ''}` };
  const level = (value: 'SoftIsFirm' | 'SoftAndFirm') => ({
    name: 'SVC_CONDUCTOR_EXECUTION_COMMIT_LEVEL',
    value,
    from,
  });
  if (layer === undefined) return [level('SoftIsFirm')];
  return [
    level('SoftAndFirm'),
    { name: 'SVC_CONDUCTOR_CELESTIA_BLOCK_TIME_MS', value: LAYER_POLL_MS, from },
    ...ofLocalLayer(layer, lookup),
  ];
}

function ofLocalLayer(da: ServiceEntry, lookup: Lookup): DerivedSetting[] {
  if (programOf(da) !== 'da') return [];
  const chain = lookup(da, 'SVC_DA_CHAIN_ID');
  const named = (name: string): DerivedSetting[] =>
    chain === undefined ? [] : [{ name, value: chain.value, from: chain }];
  return [
    ...follows('SVC_CONDUCTOR_CELESTIA_NODE_HTTP_URL', lookup(da, 'SVC_DA_API_LISTEN_ADDR')),
    ...follows('SVC_RELAYER_DA_GRPC_ENDPOINT', lookup(da, 'SVC_DA_GRPC_ADDR')),
    ...named('SVC_CONDUCTOR_EXPECTED_CELESTIA_CHAIN_ID'),
    ...named('SVC_RELAYER_DA_CHAIN_ID'),
  ];
}

/** The conductor expects blocks at the pace of the sequencer. */
function ofPace({ network }: Instance, lookup: Lookup): DerivedSetting[] {
  const [sequencer] = withRole(network, 'sequencer');
  const interval = sequencer && lookup(sequencer, 'SVC_SEQUENCER_BLOCK_INTERVAL_MS');
  if (interval === undefined) return [];
  return [{ name: 'SVC_CONDUCTOR_SEQUENCER_BLOCK_TIME_MS', value: interval.value, from: interval }];
}

/** What people call a coin of 10^9 units of an asset: of `ntia`, which counts billionths, `TIA`. */
export function coinOf(asset: string): string {
  return /^n[a-z]{2,}$/.test(asset) ? asset.slice(1).toUpperCase() : asset.slice(0, 20);
}

/** `host:port` of an HTTP URL of this machine; `undefined` for a name, which may be that of a proxy. */
function listenOf(url: string): string | undefined {
  return /^http:\/\/(\d+\.\d+\.\d+\.\d+:\d+|\[[0-9a-f:]+\]:\d+)\/?$/i.exec(url)?.[1];
}
