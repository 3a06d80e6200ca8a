import type { Owner } from '../kubernetes/objects.ts';
import { NODE_PORTS } from '../ports.ts';
import { LAYER_PORTS } from '../workloads/site.ts';

/** A sequencer network in a cluster: one node for each key, each of them CometBFT and our application in one pod. */
export interface SequencerNetwork {
  /** Name of the StatefulSet, and of the Service that clients use. */
  readonly name: string;
  readonly namespace: string;
  readonly ingressHostname: string;
  /** Else the default of the cluster, as for the class of the volumes. */
  readonly ingressClassName?: string | undefined;
  readonly storageClassName?: string | undefined;
  readonly storageSize: string;
  /** Image of the application; CometBFT has one of its own. */
  readonly image: string;
  readonly cometImage: string;
  readonly logLevel: string;
  readonly chainId: string;
  /** Text of the genesis file, the same for all. */
  readonly genesis: string;
  /** The relayer that posts the blocks to a data-availability layer; absent if none does. */
  readonly relayer?: NetworkRelayer | undefined;
  readonly nodes: readonly SequencerNode[];
}

/** The files of one node, as texts. */
export interface SequencerNode {
  readonly isValidator: boolean;
  readonly config: string;
  readonly nodeKey: string;
  readonly validatorKey: string;
}

/** A relayer of a network, and the layer that it posts to. */
export interface NetworkRelayer {
  /** Text of its key file: 64 hex digits, or a placeholder if they are not to be shown. */
  readonly key: string;
  /** It may be a key that everybody has. */
  readonly allowDevKey?: boolean;
  readonly layer: LocalNetworkLayer | CelestiaLayer;
}

/** A process in the cluster, for development only. */
export interface LocalNetworkLayer {
  readonly kind: 'local';
  /** Account of the relayer's key: `celestia1...`. */
  readonly account: string;
}

export interface CelestiaLayer {
  readonly kind: 'celestia';
  /** gRPC endpoints of consensus nodes, separated by commas. */
  readonly grpc: string;
  readonly chainId: string;
}

/** The nodes of a network, by their label. */
export const SEQUENCER = 'sequencer';

export const toOwner = ({ name, namespace }: Pick<SequencerNetwork, 'name' | 'namespace'>): Owner => ({
  ...{ family: 'sequencer', name, namespace },
});

/** Parts of a network that are pods of their own, by the suffix of its name; also the labels of these. */
export const RELAYER = 'relayer';
export const LOCAL_LAYER_PART = 'da';

export const partName = (network: string, part: typeof RELAYER | typeof LOCAL_LAYER_PART): string =>
  `${network}-${part}`;

/** Pods of a StatefulSet carry its name in a label of 63 bytes, followed by a dash and a hash of ten characters. */
export const MAX_SEQUENCER_NAME = 52;

/** The longest name of a network with a relayer, which has a StatefulSet of its own. */
export const MAX_RELAYED_NAME = MAX_SEQUENCER_NAME - partName('', RELAYER).length;

/** Name of node `index`, and of its pod. */
export const sequencerPod = (name: string, index: number): string => `${name}-${index}`;

/** The Service that gives each pod a name. */
export const peerService = (name: string): string => `${name}-nodes`;

/** Under which the nodes reach each other, wherever their pods run. */
export function sequencerPeer(
  { name, namespace }: Pick<SequencerNetwork, 'name' | 'namespace'>,
  index: number,
): string {
  return `${sequencerPod(name, index)}.${peerService(name)}.${namespace}.svc`;
}

/** Address of the network for rollups, from inside the cluster; and its RPC from outside. */
export function sequencerUrls({
  name,
  namespace,
  ingressHostname,
}: Pick<SequencerNetwork, 'name' | 'namespace' | 'ingressHostname'>) {
  const host = `${name}.${namespace}.svc`;
  return {
    rpc: `http://${host}:${NODE_PORTS.rpc}`,
    grpc: `http://${host}:${NODE_PORTS.grpc}`,
    outside: `http://${sequencerHost({ name, ingressHostname })}`,
  };
}

/** Address for conductors of the local layer of a network, from inside the cluster. */
export function localLayerUrl({ name, namespace }: Pick<SequencerNetwork, 'name' | 'namespace'>): string {
  return `http://${partName(name, LOCAL_LAYER_PART)}.${namespace}.svc:${LAYER_PORTS.da.rpc}`;
}

/** Address for explorers' queries to the relayer of a network for the height of the layer has a block, from inside the cluster. */
export function relayerUrl({ name, namespace }: Pick<SequencerNetwork, 'name' | 'namespace'>): string {
  return `http://${partName(name, RELAYER)}.${namespace}.svc:${LAYER_PORTS.relayer.health}`;
}

export function sequencerHost({ name, ingressHostname }: Pick<SequencerNetwork, 'name' | 'ingressHostname'>): string {
  return `rpc.${name}.${ingressHostname}`;
}
