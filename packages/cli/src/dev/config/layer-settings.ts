import { join } from 'node:path';
import type { Field } from '@switchyard/service/settings';
import type { Instance, ServiceEntry } from '../instance/instance.ts';
import { LAYER_KEY } from '../instance/network-layer.ts';
import { conductor } from './known-settings.ts';
import { isOfBase, ownVariable, programOf, roleOf } from './roles.ts';

export const LEVEL = conductor.executionCommitLevel.names[0];
export const NODE_URL = conductor.celestiaNodeHttpUrl.names[0];
export const AUTHORS = conductor.celestiaAuthors.names[0];

/** Whether a conductor of this level reads firm blocks from a data-availability layer. */
export function readsLayer(level: string | undefined): boolean {
  return /^(SoftAndFirm|FirmOnly)$/i.test(level ?? '');
}

export interface LayerSetting {
  readonly name: string;
  /** Of the network's block. */
  readonly key: string;
  readonly value: string;
}

/**
 * What a network's layer decides for a conductor. It takes precedence over the base settings, which are those of the
 * network `local` and its layer.
 */
export function layerSettings({ base, network, paths }: Instance, entry: ServiceEntry): LayerSetting[] {
  if (roleOf(entry) !== 'conductor') return [];
  const { layer } = network;
  const level = base[LEVEL];
  if (layer === undefined) {
    const hasLayer =
      network.services.some((each) => programOf(each) === 'da' || each.label === 'celestia-light') ||
      base[NODE_URL] !== undefined ||
      ownVariable(entry, NODE_URL) !== undefined;
    if (isOfBase(network) || hasLayer || !readsLayer(level)) return [];
    return [{ name: LEVEL, key: LAYER_KEY, value: 'SoftIsFirm' }];
  }
  const settings: readonly (readonly [Field<unknown>, string, string | undefined])[] = [
    [conductor.executionCommitLevel, 'node_url', readsLayer(level) ? level : 'SoftAndFirm'],
    [conductor.celestiaNodeHttpUrl, 'node_url', layer.nodeUrl],
    [conductor.celestiaBlockTimeMs, 'node_url', conductor.celestiaBlockTimeMs.fallback],
    [conductor.expectedCelestiaChainId, 'chain_id', layer.chainId],
    [conductor.celestiaTrustedHeight, 'trusted_height', layer.trusted?.height],
    [conductor.celestiaTrustedHash, 'trusted_hash', layer.trusted?.hash],
    [conductor.celestiaTokenFile, 'token_file', layer.tokenFile],
    [conductor.celestiaAuthors, 'authors', layer.authors ?? (base[AUTHORS] === undefined ? undefined : '')],
    [conductor.celestiaHeaderFilepath, 'node_url', join(paths.data, network.name, `${entry.label}-layer-header.json`)],
  ];
  return settings.flatMap(([{ names }, key, value]) =>
    value === undefined ? [] : [{ name: names[0], key: `${LAYER_KEY}.${key}`, value }],
  );
}
