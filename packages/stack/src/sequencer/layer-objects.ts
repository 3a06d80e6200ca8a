import { PLACES } from '../container.ts';
import { computeDigest } from '../kubernetes/digest.ts';
import {
  anyPods,
  configMap,
  dns,
  type KubernetesObject,
  secretObject,
  serviceObject,
  tcp,
  toMetadata,
  toPods,
  toSelector,
} from '../kubernetes/objects.ts';
import {
  type PodSet,
  podObjects,
  programContainer,
  readOnly,
  secretVolume,
  temporary,
  toState,
} from '../kubernetes/pods.ts';
import { namesInside } from '../names.ts';
import { NODE_PORTS } from '../ports.ts';
import { settingsFor } from '../process.ts';
import { da, LOCAL_LAYER, localChain } from '../processes/da.ts';
import { LOCAL_BATCH_MS, relayer } from '../processes/relayer.ts';
import { PROGRAMS } from '../programs.ts';
import type { LayerProcess } from '../roles.ts';
import { type Entry, settingsIn } from '../values.ts';
import { LAYER_MEMORY, LAYER_PORTS } from '../workloads/site.ts';
import {
  type CelestiaLayer,
  LOCAL_LAYER_PART,
  type LocalNetworkLayer,
  type NetworkRelayer,
  partName,
  RELAYER,
  SEQUENCER,
  type SequencerNetwork,
  sequencerUrls,
  toOwner,
} from './network.ts';

/** On everything of the local layer: it gives no availability. */
export const DEVELOPMENT_LABEL = 'switchyard/development-only';

/** The relayer keeps some positions and the transactions under way. */
const RELAYER_STORAGE = '256Mi';

/** Objects of the relayer of a network, and of the local layer if it posts to that one. */
export function layerObjects(network: SequencerNetwork): readonly KubernetesObject[] {
  const { relayer } = network;
  if (relayer === undefined) return [];
  const { layer } = relayer;
  return [...(layer.kind === 'local' ? localLayerObjects(network, layer) : []), ...relayerObjects(network, relayer)];
}

function relayerObjects(network: SequencerNetwork, { key, layer, allowDevKey }: NetworkRelayer): KubernetesObject[] {
  const { name, chainId } = network;
  const { rpc, grpc } = sequencerUrls(network);
  const item = toCelestia(network, layer);
  const ports = LAYER_PORTS.relayer;
  const isLocal = layer.kind === 'local';
  const secret = secretObject(metadata(network, RELAYER, '-key'), { [PLACES.keyFile]: key });
  const settings = settingsObject(
    network,
    RELAYER,
    settingsFor(relayer, {
      ...{ sequencerAbciEndpoint: rpc, sequencerGrpcEndpoint: grpc, sequencerChainId: chainId },
      ...{ daGrpcEndpoint: item.grpc, daChainId: item.chainId, privateKeyFile: `${PLACES.key}/${PLACES.keyFile}` },
      ...{ allowDevKey: allowDevKey || undefined, batchMs: isLocal ? LOCAL_BATCH_MS : undefined },
      // The relayer's positions are those of one layer: with another one it begins again.
      dbFilepath: `${PLACES.data}/${RELAYER}/${item.chainId}`,
      ...{ apiListenAddr: all(ports.health), ...running(network, RELAYER) },
    }),
  );
  return layerPods(network, RELAYER, {
    ...{ reads: [secret, settings], digest: computeDigest([secret, settings]) },
    // It answers queries about its posts while it cannot post, too.
    services: [serviceObject(metadata(network, RELAYER), toSelector(name, RELAYER), ports, 'each')],
    policy: {
      // Explorers are in any namespace. It takes no orders.
      ingress: [{ from: [anyPods()], ports: tcp(ports.health, ports.metrics) }],
      // A node of Celestia may be anywhere.
      ...(isLocal && {
        egress: [
          { to: [toPods(name, SEQUENCER)], ports: tcp(NODE_PORTS.rpc, NODE_PORTS.grpc) },
          { to: [toPods(name, LOCAL_LAYER_PART)], ports: tcp(LAYER_PORTS.da.grpc) },
          { ports: dns() },
        ],
      }),
    },
    volumes: [secretVolume('key', secret.metadata?.name ?? '')],
    storage: { size: RELAYER_STORAGE, className: network.storageClassName },
  });
}

function localLayerObjects(network: SequencerNetwork, { account }: LocalNetworkLayer): KubernetesObject[] {
  const { name, storageSize: size, storageClassName: className } = network;
  const part = LOCAL_LAYER_PART;
  const { rpc, grpc, metrics } = LAYER_PORTS.da;
  const settings = settingsObject(
    network,
    part,
    settingsFor(da, {
      ...{ apiListenAddr: all(rpc), grpcAddr: all(grpc), dbFilepath: `${PLACES.data}/${part}` },
      ...{ ...localChain(account), ...running(network, part) },
    }),
  );
  return layerPods(network, part, {
    ...{ reads: [settings], digest: computeDigest(settings) },
    // There is no other pod to ask, and it has blocks as soon as it listens.
    services: [serviceObject(metadata(network, part), toSelector(name, part), { rpc, grpc }, 'all')],
    policy: {
      ingress: [
        { ports: tcp(rpc) },
        { from: [toPods(name, RELAYER)], ports: tcp(grpc) },
        { from: [anyPods()], ports: tcp(metrics) },
      ],
      // It calls no other process.
      egress: [],
    },
    ...{ volumes: [], storage: { size, className } },
  });
}

/** Address of the layer for the relayer, and its chain. */
function toCelestia({ name, namespace }: SequencerNetwork, layer: LocalNetworkLayer | CelestiaLayer) {
  if (layer.kind === 'celestia') return layer;
  const host = `${partName(name, LOCAL_LAYER_PART)}.${namespace}.svc`;
  return { grpc: `http://${host}:${LAYER_PORTS.da.grpc}`, chainId: LOCAL_LAYER };
}

/** Also the name of the program. */
type Part = LayerProcess & (typeof RELAYER | typeof LOCAL_LAYER_PART);

const all = (port: number) => `0.0.0.0:${port}`;

const running = ({ name, namespace, logLevel: log }: SequencerNetwork, part: Part) => ({
  ...{ log, metricsHttpListenerAddr: all(LAYER_PORTS[part].metrics) },
  allowedHosts: namesInside(partName(name, part), namespace),
});

function metadata(network: SequencerNetwork, part: Part, rest = '') {
  const more = part === LOCAL_LAYER_PART ? { [DEVELOPMENT_LABEL]: 'true' } : {};
  return toMetadata(toOwner(network), `${partName(network.name, part)}${rest}`, part, more);
}

const settingsObject = (network: SequencerNetwork, part: Part, entries: readonly Entry[]) =>
  configMap(metadata(network, part, '-settings'), settingsIn(entries));

type Own = Pick<PodSet, 'reads' | 'digest' | 'services' | 'policy' | 'volumes' | 'storage'>;

/** One pod with its volume. */
function layerPods(network: SequencerNetwork, part: Part, own: Own): KubernetesObject[] {
  const { name, image } = network;
  const keys = own.volumes.map((volume) => readOnly(volume.name, PLACES.key));
  const process = programContainer(PROGRAMS[part], {
    ...{ image, settings: `${partName(name, part)}-settings`, ports: LAYER_PORTS[part] },
    ...{ cpu: '100m', memory: LAYER_MEMORY[part], mounts: [temporary(), toState(part), ...keys] },
  });
  return podObjects({
    ...{ metadata: metadata(network, part), owner: name, workload: part, serviceName: partName(name, part) },
    ...{ containers: [process], ...own },
  });
}
