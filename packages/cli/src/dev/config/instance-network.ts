import { join } from 'node:path';
import { relayerAccount as developmentAccount } from '@switchyard/network/accounts';
import { type Member, memberFromLabel, type Network, type NetworkLayer } from '@switchyard/stack/network';
import { readsLayer } from '@switchyard/stack/programs';
import type { Followed } from '@switchyard/stack/values';
import { LAYER_POLL_MS } from '@switchyard/stack/wiring';
import { CELESTIA_CHAIN, celestiaPaths } from '../celestia/layout.ts';
import type { Instance, ServiceEntry } from '../instance/instance.ts';
import { LAYER_KEY, LAYER_SETTINGS } from '../instance/network-layer.ts';
import { toPlaces } from '../instance/network-places.ts';
import { celestiaPorts } from '../instance/ports.ts';
import { findBuiltin, findProgram, ownVariable } from './entry.ts';
import { FIELDS, type SettingField } from './known-settings.ts';
import { relayerAccount } from './relayer-key.ts';
import { getRole, isOfBase, isRemote } from './roles.ts';

const { conductor, relayer } = FIELDS;

/** A setting as a file states it. */
export type StatedSetting = (entry: ServiceEntry, field: SettingField) => Followed | undefined;

export function getMember(entry: ServiceEntry): Member {
  // A rollup of the user's reads the settings that all rollups have, as the messenger does.
  const program = findBuiltin(entry) ?? (getRole(entry) === 'rollup' ? 'messenger' : undefined);
  return memberFromLabel(entry.label, program, findProgram(entry) !== undefined);
}

/** The network of an instance, from its files. */
export function toNetwork(instance: Instance, stated: StatedSetting): Network {
  const { paths, network } = instance;
  const fact = (key: string, value: string): Followed => ({
    value,
    from: { file: paths.networks, key: `networks.${network.name}.${key}` },
  });
  return {
    name: network.name,
    members: network.services.map(getMember),
    chainId: fact('sequencer_chain_id', network.sequencerChainId),
    asset: fact('native_denom', network.nativeDenom),
    rpc: fact('sequencer_rpc', network.sequencerRpc),
    grpc: fact('sequencer_grpc', network.sequencerGrpc),
    kind: isRemote(network) ? 'remote' : isOfBase(network) ? 'solo' : 'cometbft',
    places: toPlaces(network.name, paths.networks, paths.directory),
    offset: 0,
    // An invalid address is refused by the listener.
    startPage: /^[^:,\s]+:\d{1,5}$/.test(network.startPage ?? '') ? network.startPage : undefined,
    authors: () => findAuthors(instance, stated),
    getLayer: (label) => findLayer(instance, label),
    layerAccount: developmentAccount.address,
  };
}

/** Blobs of others are not even opened, regardless of their content; those of a relayer here are, up to the largest there can be. */
function findAuthors({ network }: Instance, stated: StatedSetting): Followed | undefined {
  const keys = network.services.flatMap((each) =>
    findProgram(each) === 'relayer' ? (stated(each, relayer.privateKeyFile) ?? []) : [],
  );
  const accounts = keys.map(({ value }) => relayerAccount(value));
  const [first] = keys;
  // Without the account of one relayer, the list would exclude all of its blobs.
  if (first === undefined || accounts.includes(undefined)) return undefined;
  return { value: accounts.join(','), from: first.from, differs: 'error' };
}

/** A layer that is not the local one: a node elsewhere, or the instance's own Celestia network. */
function findLayer(instance: Instance, label: string): NetworkLayer | undefined {
  const { network, base, paths } = instance;
  if (network.layer !== undefined) return remoteLayer(instance, network.layer, label);
  if (network.services.some((each) => each.label === 'celestia-light')) return celestiaLayer(instance, label);
  const url = conductor.celestiaNodeHttpUrl;
  const hasLayer =
    network.services.some((each) => findProgram(each) === 'da' || (each.label === label && ownVariable(each, url))) ||
    base[url.names[0]] !== undefined;
  if (isOfBase(network) || hasLayer || !readsLayer(base[conductor.executionCommitLevel.names[0]])) return undefined;
  // The shared settings are those of the network `local`, which has a layer.
  const from = { file: paths.networks, key: `networks.${network.name}.${LAYER_KEY}` };
  return { level: { value: 'SoftIsFirm', from, overrides: true } };
}

function remoteLayer(
  { network, base, paths }: Instance,
  layer: NonNullable<Instance['network']['layer']>,
  label: string,
): NetworkLayer {
  const fact = (key: string, value: string): Followed => {
    const from = { file: paths.networks, key: `networks.${network.name}.${LAYER_KEY}.${key}` };
    return { value, from, overrides: true };
  };
  const level = base[conductor.executionCommitLevel.names[0]];
  const sharesAuthors = base[conductor.celestiaAuthors.names[0]] !== undefined;
  const stated = Object.entries({ ...(sharesAuthors && { authors: '' }), ...layer });
  return {
    level: fact('node_url', level !== undefined && readsLayer(level) ? level : 'SoftAndFirm'),
    celestiaBlockTimeMs: fact('node_url', conductor.celestiaBlockTimeMs.fallback ?? ''),
    ...Object.fromEntries(
      stated.flatMap(([key, value]) => {
        const setting = Object.entries(LAYER_SETTINGS).find(([name]) => name === key)?.[1];
        return setting === undefined || value === undefined ? [] : [[setting, fact(key, value)]];
      }),
    ),
    celestiaHeaderFilepath: fact('node_url', join(paths.data, network.name, `${label}-layer-header.json`)),
  };
}

function celestiaLayer({ network, paths }: Instance, label: string): NetworkLayer {
  const from = { file: paths.networks, key: `networks.${network.name}.services.celestia-light` };
  const ports = celestiaPorts(network.sequencerRpc);
  const { data, readToken } = celestiaPaths(paths);
  return {
    level: { value: 'SoftAndFirm', from },
    celestiaBlockTimeMs: { value: LAYER_POLL_MS, from },
    celestiaNodeHttpUrl: { value: `http://127.0.0.1:${ports.lightRpc}`, from },
    grpc: { value: `http://127.0.0.1:${ports.appGrpc}`, from },
    expectedCelestiaChainId: { value: CELESTIA_CHAIN, from },
    celestiaTokenFile: { value: readToken, from },
    celestiaHeaderFilepath: { value: join(data, `${label}-header.json`), from },
  };
}
