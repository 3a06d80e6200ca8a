export { chartOf } from './chart/chart.ts';
export { type Composed, composeOf } from './compose/compose.ts';
export {
  DA_LIGHT_HEAD_COMMAND,
  type DaLightHead,
  daLightHeadText,
  readDaLightHead,
} from './da-light-head.ts';
export {
  INGRESS_CLASS,
  INGRESS_NAMESPACE,
  ingressControllerObjects,
  TRAEFIK_IMAGE,
} from './ingress/traefik.ts';
export { defaultText, describeManifest, REQUIRED } from './manifest/describe.ts';
export { MAX_MANIFEST_BYTES } from './manifest/document.ts';
export type { ManifestField } from './manifest/field.ts';
export { FIELDS, type Manifest, type ManifestKey, manifestFields } from './manifest/fields.ts';
export { fieldAt, type ReadManifest, readFieldText, readManifest } from './manifest/read.ts';
export { shownValue } from './manifest/rule.ts';
export { manifestSchema } from './manifest/schema.ts';
export { publicChain } from './manifest/together.ts';
export { editManifest, manifestText } from './manifest/write.ts';
export { HOSTS, type Host, hostOf, MAX_ROLLUP_NAME, objectName } from './names.ts';
export {
  MAX_SEQUENCER_NAME,
  type SequencerNetwork,
  type SequencerNode,
  sequencerHost,
  sequencerPeer,
  sequencerPod,
  sequencerUrls,
} from './sequencer/network.ts';
export {
  HEIGHT_COMMAND,
  SEQUENCER,
  sequencerClaim,
  sequencerGenesisDigest,
  sequencerObjects,
} from './sequencer/objects.ts';
export { type DaLightAccess, daLightAccess } from './workloads/da-light.ts';
export { daLightEndpoint } from './workloads/da-light-endpoint.ts';
export { DA_LIGHT, type Family, MANAGER, PART_OF, type Workload } from './workloads/metadata.ts';
export { CONTAINERS, claimOf, GENESIS_ANNOTATION } from './workloads/pods.ts';
export { publicUrl, type Settings, settingsOf } from './workloads/settings.ts';
export { type LocalPlaces, localSite, PLACES, type Site } from './workloads/site.ts';
export { objectsText } from './workloads/text.ts';
export {
  genesisDigest,
  genesisText,
  type Keys,
  type KubernetesObject,
  problemsOnThisMachine,
  workloadsIn,
  workloadsOf,
} from './workloads/workloads.ts';
