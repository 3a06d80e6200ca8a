import { relayerAccount } from '@switchyard/network/accounts';
import { type Member, memberFromLabel, type Network } from '@switchyard/stack/network';
import { CELESTIA_LABELS } from '../celestia/layout.ts';
import { cometLabel, sequencerLabel } from '../comet/layout.ts';
import { toPlaces } from '../instance/network-places.ts';
import type { Layer, RollupKind } from './templates.ts';

/** Facts of a network that is about to be written into the files of an instance. */
export interface NewNetwork {
  readonly name: string;
  readonly kind: Network['kind'];
  readonly chainId: string;
  readonly asset: string;
  readonly rpc: string;
  readonly grpc: string;
  /** The rollups that run on it, and the layer that its blocks are posted to. */
  readonly rollups: readonly RollupKind[];
  readonly layer: Layer;
  /** Offset of the instance's ports. */
  readonly offset: number;
  /** Nodes of the sequencer under CometBFT. */
  readonly nodes?: number;
  /** Key file of the composer, as the network file names it; absent: the network's own. */
  readonly composerKey?: string;
  readonly allowDevKey?: boolean;
}

export function networkFrom(item: NewNetwork): Network {
  const { name, kind, offset, allowDevKey, composerKey } = item;
  const places = toPlaces(name, 'networks-config.toml');
  const fact = (key: string, value: string) => ({ value, from: { file: places.networksFile, key } });
  return {
    ...{ name, kind, offset, members: getMembers(item), layerAccount: relayerAccount.address, allowDevKey },
    ...{ chainId: fact('sequencer_chain_id', item.chainId), asset: fact('native_denom', item.asset) },
    ...{ rpc: fact('sequencer_rpc', item.rpc), grpc: fact('sequencer_grpc', item.grpc) },
    places: composerKey === undefined ? places : { ...places, composerKey },
  };
}

/** The services of a network, in the order of its file. */
function getMembers({ kind, rollups, layer, nodes = 0 }: NewNetwork): readonly Member[] {
  const sequencers = Array.from({ length: nodes }, (_, index) => [sequencerLabel(index), cometLabel(index)]).flat();
  const layers = {
    none: [],
    local: ['da', 'relayer'],
    // The nodes of Celestia belong to the network `local`.
    celestia: kind === 'solo' ? [...CELESTIA_LABELS, 'relayer'] : [],
  };
  return [
    ...(kind === 'solo' ? ['sequencer'] : sequencers),
    'composer',
    ...(kind === 'remote' ? [] : layers[layer]),
    'conductor',
    ...rollupLabels(rollups, kind, rollups.join() !== 'evm'),
    ...(kind === 'remote' ? [] : ['explorer']),
  ].map((label) => memberFromLabel(label));
}

/**
 * Services of rollups.
 *
 * @param isBusy Whether the first conductor feeds another rollup than that of the EVM: a conductor feeds one.
 */
function rollupLabels(rollups: readonly RollupKind[], kind: Network['kind'], isBusy: boolean): string[] {
  const evm = [
    'evm',
    ...(isBusy ? ['evm-conductor'] : []),
    ...(kind === 'remote' ? [] : ['evm-withdrawer']),
    'faucet',
    ...(kind === 'remote' ? [] : ['sequencer-faucet']),
  ];
  const messenger = ['rollup', ...(kind === 'remote' ? [] : ['withdrawer']), 'messenger-faucet'];
  return [...(rollups.includes('messenger') ? messenger : []), ...(rollups.includes('evm') ? evm : [])];
}

/** Services that are added to the network `local` for more rollups. */
export function addedMembers(
  added: readonly RollupKind[],
  { conductorIsBusy, fundsFaucet }: { readonly conductorIsBusy: boolean; readonly fundsFaucet: boolean },
): readonly Member[] {
  const labels = rollupLabels(added, fundsFaucet ? 'solo' : 'remote', conductorIsBusy || added.join() !== 'evm');
  const withConductor = labels.flatMap((label) =>
    label === 'messenger-faucet' && conductorIsBusy ? [label, 'rollup-conductor'] : [label],
  );
  return withConductor.map((label) => memberFromLabel(label));
}
