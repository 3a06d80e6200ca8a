import { hkdfSync } from 'node:crypto';
import type { StatefulSet } from 'kubernetes-types/apps/v1.js';
import type { ConfigMap, Secret, Service } from 'kubernetes-types/core/v1.js';
import type { NetworkPolicy } from 'kubernetes-types/networking/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import { lightReadToken } from '../light-token.ts';
import type { Manifest } from '../manifest/fields.ts';
import { CELESTIA_NETWORKS } from '../manifest/together.ts';
import { objectName, serviceName } from '../names.ts';
import { DA_LIGHT_FILES as FILES, hasDaLight, DA_LIGHT_PORTS as PORTS } from './da-light-endpoint.ts';
import { digestOf } from './digest.ts';
import { DA_LIGHT, metadataOf, selector } from './metadata.ts';
import { bytesOf, containerSecurity, podDefaults } from './pods.ts';
import { PLACES } from './site.ts';

/** Share of the container's memory that Go may use before it collects more often; badger maps files beside it. */
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

/** @returns none where the manifest names no network to sync from. */
export function daLightObjects(manifest: Manifest, access: () => DaLightAccess) {
  if (!hasDaLight(manifest)) return [];
  const metadata = (part: Parameters<typeof metadataOf>[1] = DA_LIGHT) => metadataOf(manifest, part, DA_LIGHT);
  const { secret, readToken } = access();
  const secrets: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: metadata('da-light-access'),
    type: 'Opaque',
    stringData: { [FILES.secret]: secret, [FILES.readToken]: readToken },
  };
  const settings: ConfigMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metadata('da-light-settings'),
    data: settingsOf(manifest, manifest.daNetwork ?? ''),
  };
  const service: Service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { ...metadata(), name: serviceName(manifest.labelPrefix, DA_LIGHT) },
    spec: {
      selector: selector(manifest, DA_LIGHT),
      // A node that lags still has the headers before, and its readers check what it gives.
      publishNotReadyAddresses: true,
      ports: [{ name: 'rpc', port: PORTS.rpc, targetPort: 'rpc' }],
    },
  };
  const networkPolicy: NetworkPolicy = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: metadata(),
    spec: {
      podSelector: { matchLabels: selector(manifest, DA_LIGHT) },
      // It dials its peers, which may be anywhere, and needs none that dial it.
      policyTypes: ['Ingress'],
      ingress: [{ from: [{ podSelector: {} }], ports: [{ protocol: 'TCP', port: PORTS.rpc }] }],
    },
  };
  const budget: PodDisruptionBudget = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: metadata(),
    spec: {
      maxUnavailable: 1,
      selector: { matchLabels: selector(manifest, DA_LIGHT) },
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
    },
  };
  const set = statefulSet(manifest, digestOf([secrets, settings]));
  return [secrets, settings, service, networkPolicy, budget, set];
}

/** Variables of the image's entry point, deploy/da-light. */
function settingsOf(manifest: Manifest, network: string): { [name: string]: string } {
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
    GOMEMLIMIT: `${Math.floor(bytesOf(daLightMemoryLimit) * GO_SHARE)}B`,
    ...(CELESTIA_NETWORKS.includes(network) ? {} : { CELESTIA_CUSTOM: `${network}:${daGenesisHash}:${daBridges}` }),
    ...(daSyncFromHash === undefined ? {} : { DA_LIGHT_SYNC_FROM_HASH: daSyncFromHash }),
    ...(daSyncFromHeight === undefined ? {} : { DA_LIGHT_SYNC_FROM_HEIGHT: String(daSyncFromHeight) }),
  };
}

function statefulSet(manifest: Manifest, digest: string): StatefulSet {
  const metadata = metadataOf(manifest, DA_LIGHT, DA_LIGHT);
  const { labelPrefix, daImage, daLightCpu, daLightMemory, daLightMemoryLimit, daStorageSize, storageClassName } =
    manifest;
  const answers = { tcpSocket: { port: 'rpc' } };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata,
    spec: {
      replicas: 1,
      serviceName: serviceName(labelPrefix, DA_LIGHT),
      selector: { matchLabels: selector(manifest, DA_LIGHT) },
      template: {
        metadata: { labels: { ...metadata.labels }, annotations: { 'switchyard/settings': digest } },
        spec: {
          ...podDefaults(manifest),
          containers: [
            {
              name: DA_LIGHT,
              image: daImage,
              imagePullPolicy: 'IfNotPresent',
              envFrom: [{ configMapRef: { name: objectName(labelPrefix, 'da-light-settings') } }],
              ports: [{ name: 'rpc', containerPort: PORTS.rpc }],
              resources: {
                requests: { cpu: daLightCpu, memory: daLightMemory },
                limits: { memory: daLightMemoryLimit },
              },
              securityContext: containerSecurity(),
              // It listens once it has found the head of its network.
              startupProbe: { ...answers, periodSeconds: 2, failureThreshold: 300 },
              livenessProbe: { ...answers, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 },
              // A program in the image checks readiness: an open port does not tell whether the head advances.
              readinessProbe: { exec: { command: ['/bin/da-light', 'ready'] }, periodSeconds: 5, timeoutSeconds: 5 },
              volumeMounts: [
                { name: 'tmp', mountPath: '/tmp' },
                { name: 'data', mountPath: `${PLACES.data}/${DA_LIGHT}`, subPath: DA_LIGHT },
                { name: 'access', mountPath: PLACES.key, readOnly: true },
              ],
            },
          ],
          volumes: [
            { name: 'access', secret: { secretName: objectName(labelPrefix, 'da-light-access'), defaultMode: 0o400 } },
            { name: 'tmp', emptyDir: { sizeLimit: '64Mi' } },
          ],
        },
      },
      volumeClaimTemplates: [
        {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: { name: 'data', labels: { ...metadata.labels } },
          spec: {
            accessModes: ['ReadWriteOnce'],
            ...(storageClassName === undefined ? {} : { storageClassName }),
            resources: { requests: { storage: daStorageSize } },
          },
        },
      ],
    },
  };
}
