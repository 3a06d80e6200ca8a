import { hkdfSync } from 'node:crypto';
import { PLACES, parseQuantity } from '../container.ts';
import { computeDigest } from '../kubernetes/digest.ts';
import { configMap, secretObject, serviceObject, tcp, toSelector } from '../kubernetes/objects.ts';
import { container, podObjects, readOnly, SLOW_START, secretVolume, temporary, toState } from '../kubernetes/pods.ts';
import { lightReadToken } from '../light-token.ts';
import type { Manifest } from '../manifest/fields.ts';
import { DA_LIGHT, DA_LIGHT_FILES as FILES, hasDaLight, DA_LIGHT_PORTS as PORTS } from '../manifest/layer.ts';
import { CELESTIA_NETWORKS } from '../manifest/together.ts';
import { objectName, type Part, serviceName } from '../names.ts';
import { partMetadata } from './metadata.ts';

/** Share of the container's memory that Go may use before it collects more often; badger maps files next to it. */
const GO_SHARE = 0.75;

/**
 * The secret that the light node checks tokens with (64 hex digits), and a token with which headers, shares and blobs
 * are read.
 */
export interface DaLightAccess {
  readonly secret: string;
  readonly readToken: string;
}

/**
 * Derives the access from the key and the names, so that applying a manifest again changes nothing. Neither part leads
 * back to the key.
 *
 * @param key Key of the account on the sequencer: 64 hex digits.
 */
export function daLightAccess({ namespace, labelPrefix }: Manifest, key: string): DaLightAccess {
  if (!/^[0-9a-f]{64}$/i.test(key))
    throw new Error('a key of 64 hex digits is needed for the access to the light node');
  const purpose = `switchyard da-light ${namespace} ${labelPrefix}`;
  const secret = Buffer.from(hkdfSync('sha256', Buffer.from(key, 'hex'), '', purpose, 32));
  return { secret: secret.toString('hex'), readToken: lightReadToken(secret) };
}

/** @returns none if the manifest names no network to sync from. */
export function daLightObjects(manifest: Manifest, access: () => DaLightAccess) {
  if (!hasDaLight(manifest)) return [];
  const { name, labelPrefix, daImage, daLightCpu, daLightMemory, daLightMemoryLimit } = manifest;
  const metadata = (part: Part) => partMetadata(manifest, part, DA_LIGHT);
  const { secret, readToken } = access();
  const reads = [
    secretObject(metadata('da-light-access'), { [FILES.secret]: secret, [FILES.readToken]: readToken }),
    configMap(metadata('da-light-settings'), toSettings(manifest, manifest.daNetwork ?? '')),
  ];
  const serviceMetadata = { ...metadata(DA_LIGHT), name: serviceName(labelPrefix, DA_LIGHT) };
  const node = container({
    ...{ name: DA_LIGHT, image: daImage, settings: objectName(labelPrefix, 'da-light-settings') },
    ports: { rpc: PORTS.rpc },
    ...{ cpu: daLightCpu, memory: daLightMemory, memoryLimit: daLightMemoryLimit },
    probes: {
      // It listens once it has found the head of its network. An open port tells neither that it stores headers, nor how old they are.
      ...{ alive: { exec: { command: ['/bin/da-light', 'alive'] }, timeoutSeconds: 5 }, startup: SLOW_START },
      ready: { exec: { command: ['/bin/da-light', 'ready'] }, periodSeconds: 5, timeoutSeconds: 5 },
    },
    mounts: [temporary(), toState(DA_LIGHT), readOnly('access', PLACES.key)],
  });
  return podObjects({
    ...{ metadata: metadata(DA_LIGHT), owner: name, workload: DA_LIGHT, reads, digest: computeDigest(reads) },
    // A node that lags still has the headers before, and its readers check its answers.
    services: [serviceObject(serviceMetadata, toSelector(name, DA_LIGHT), { rpc: PORTS.rpc }, 'all')],
    serviceName: serviceMetadata.name,
    // It dials its peers, which may be anywhere, and needs none that dial it.
    policy: { ingress: [{ from: [{ podSelector: {} }], ports: tcp(PORTS.rpc) }] },
    containers: [node],
    volumes: [secretVolume('access', objectName(labelPrefix, 'da-light-access'))],
    storage: { size: manifest.daStorageSize, className: manifest.storageClassName },
  });
}

/** Variables of the image's entry point, deploy/da-light. */
function toSettings(manifest: Manifest, network: string): { [name: string]: string } {
  const { daGenesisHash, daBridges, daSyncFromHash, daSyncFromHeight, daMaxHeadAge, daLightMemoryLimit } = manifest;
  // A store must never see another network, even one with the same name.
  const store = daGenesisHash === undefined ? network : `${network}-${daGenesisHash.slice(0, 8).toLowerCase()}`;
  return {
    DA_LIGHT_NETWORK: network,
    DA_LIGHT_STORE: `${PLACES.data}/${DA_LIGHT}/${store}`,
    DA_LIGHT_SECRET_DIRPATH: PLACES.key,
    DA_LIGHT_MAX_HEAD_AGE: String(daMaxHeadAge),
    // Debug lines of celestia-node are those of all its libraries; `trace` has them.
    DA_LIGHT_LOG: manifest.logLevel === 'debug' ? 'info' : manifest.logLevel,
    GOMEMLIMIT: `${Math.floor(parseQuantity(daLightMemoryLimit) * GO_SHARE)}B`,
    ...(CELESTIA_NETWORKS.includes(network) ? {} : { CELESTIA_CUSTOM: `${network}:${daGenesisHash}:${daBridges}` }),
    ...(daSyncFromHash === undefined ? {} : { DA_LIGHT_SYNC_FROM_HASH: daSyncFromHash }),
    ...(daSyncFromHeight === undefined ? {} : { DA_LIGHT_SYNC_FROM_HEIGHT: String(daSyncFromHeight) }),
  };
}
