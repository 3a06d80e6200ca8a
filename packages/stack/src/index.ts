export { renderChart } from './chart/chart.ts';
export { type Composed, renderCompose } from './compose/compose.ts';
export { PLACES } from './container.ts';
export {
  DA_LIGHT_HEAD_COMMAND,
  daLightHeadText,
  readDaLightHead,
} from './da-light-head.ts';
export type { Site } from './deployment.ts';
export {
  INGRESS_CLASS,
  INGRESS_NAMESPACE,
  ingressControllerObjects,
  TRAEFIK_IMAGE,
} from './ingress/traefik.ts';
export { type Family, type KubernetesObject, MANAGER, PART_OF } from './kubernetes/objects.ts';
export { GENESIS_ANNOTATION } from './kubernetes/pods.ts';
export { objectsText } from './kubernetes/text.ts';
export { type Bridge, getBridges, payingBridges } from './manifest/bridges.ts';
export { defaultText, describeManifest, REQUIRED } from './manifest/describe.ts';
export { MAX_MANIFEST_BYTES } from './manifest/document.ts';
export type { ManifestField } from './manifest/field.ts';
export { FIELDS, type Manifest, type ManifestKey, manifestFields } from './manifest/fields.ts';
export { findMembers, STATED_ELSEWHERE } from './manifest/genesis.ts';
export { DA_LIGHT, hasDaLight, hasLocalLayer } from './manifest/layer.ts';
export { DROPPED } from './manifest/old-spellings.ts';
export { fieldAt, type ReadManifest, readFieldText, readManifest } from './manifest/read.ts';
export { shownValue } from './manifest/rule.ts';
export { manifestSchema } from './manifest/schema.ts';
export { largeIdWarning, publicChain } from './manifest/together.ts';
export { editManifest, manifestText } from './manifest/write.ts';
export { HOSTS, type Host, MAX_ROLLUP_NAME, objectName } from './names.ts';
export {
  type CelestiaLayer,
  LOCAL_LAYER_PART,
  localLayerUrl,
  MAX_RELAYED_NAME,
  MAX_SEQUENCER_NAME,
  type NetworkRelayer,
  partName,
  RELAYER,
  relayerUrl,
  SEQUENCER,
  type SequencerNetwork,
  type SequencerNode,
  sequencerHost,
  sequencerPeer,
  sequencerPod,
  sequencerUrls,
} from './sequencer/network.ts';
export {
  HEIGHT_COMMAND,
  sequencerClaim,
  sequencerGenesisDigest,
  sequencerObjects,
} from './sequencer/objects.ts';
export { type DaLightAccess, daLightAccess } from './workloads/da-light.ts';
export { genesisDigest, genesisName, genesisText } from './workloads/genesis.ts';
export {
  getPorts,
  type HostRoute,
  isNode,
  nodeIn,
  processesIn,
  routesIn,
  type Workload,
  workloadsIn,
} from './workloads/parts.ts';
export { toClaim } from './workloads/pods.ts';
export { getSettings, type Settings } from './workloads/settings.ts';
export { clusterSite, LAYER_PORTS, type LocalPlaces, localSite } from './workloads/site.ts';
export { getWorkloads, type Keys, keyFor, problemsOnThisMachine } from './workloads/workloads.ts';
