import type { StatefulSet } from 'kubernetes-types/apps/v1.js';
import type { Container, EnvVar, PersistentVolumeClaim, Probe, Volume, VolumeMount } from 'kubernetes-types/core/v1.js';
import type { Manifest } from '../manifest/fields.ts';
import { objectName, type Part, serviceName } from '../names.ts';
import type { Program } from '../process.ts';
import { PROGRAMS, type Process } from '../programs.ts';
import { daToken, readsFirm } from './da-light-endpoint.ts';
import { metadataOf, selector, type Workload } from './metadata.ts';
import { EXPLORER_DB_URL } from './settings.ts';
import { PLACES, PORTS } from './site.ts';

/** The user of the images. */
export const USER = 65_532;

/** Settings of every pod: no rights in the cluster, and the `restricted` profile of Kubernetes. */
export const podDefaults = ({ name }: Pick<Manifest, 'name'>) => ({
  serviceAccountName: name,
  automountServiceAccountToken: false,
  enableServiceLinks: false,
  terminationGracePeriodSeconds: 30,
  securityContext: {
    runAsNonRoot: true,
    runAsUser: USER,
    runAsGroup: USER,
    fsGroup: USER,
    fsGroupChangePolicy: 'OnRootMismatch' as const,
    seccompProfile: { type: 'RuntimeDefault' as const },
  },
});

/** Security context of every container. */
export const containerSecurity = () => ({
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
});
/** Share of a container's memory that Node may keep in its heap; the rest is for buffers, code and mapped files. */
const HEAP_SHARE = 0.6;
const MEBI = 1024 * 1024;
/** The volume of a pod. */
const CLAIM = 'data';
/** Volume with the token of the node that firm blocks are read from. */
const TOKEN = 'da-token';
/** On a claim: the digest of the genesis of the chain that is on the volume. */
export const GENESIS_ANNOTATION = 'switchyard/genesis';

interface Digests {
  readonly settings: string;
  readonly genesis: string;
}

/** The containers of each workload. Those of one pod share a network, so that what is between them is on loopback. */
export const CONTAINERS: Readonly<Record<Workload, readonly Process[]>> = {
  evm: ['evm', 'composer', 'conductor'],
  faucet: ['faucet'],
  explorer: ['explorer'],
};

/** The Secret that a process gets its key from. */
export const KEY_PARTS: Readonly<Partial<Record<Process, Part>>> = {
  composer: 'composer-key',
  faucet: 'faucet-key',
};

/** The ConfigMap with the settings of a process. */
export const SETTINGS_PARTS: Readonly<Record<Process, Part>> = {
  evm: 'evm-settings',
  composer: 'composer-settings',
  conductor: 'conductor-settings',
  faucet: 'faucet-settings',
  explorer: 'explorer-settings',
};

/**
 * One pod with its volume. There is never a second one: chain, queue and payments have one writer.
 *
 * @param digests Digest of all that the pod reads when it starts: another one replaces the pod. And that of the genesis
 * to which the volume belongs for ever.
 */
export function statefulSet(manifest: Manifest, workload: Workload, digests: Digests): StatefulSet {
  const metadata = metadataOf(manifest, workload, workload);
  const processes = CONTAINERS[workload];
  const hasVolume = workload !== 'explorer' || manifest.explorerPostgresSecret === undefined;
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata,
    spec: {
      replicas: 1,
      serviceName: serviceName(manifest.name, workload),
      selector: { matchLabels: selector(manifest, workload) },
      template: {
        metadata: { labels: { ...metadata.labels }, annotations: { 'switchyard/settings': digests.settings } },
        spec: {
          ...podDefaults(manifest),
          containers: processes.map((process) => container(manifest, process)),
          volumes: [
            ...processes.flatMap((process) => volumesOf(manifest, process)),
            { name: 'tmp', emptyDir: { sizeLimit: '64Mi' } },
            ...(hasVolume ? [] : [{ name: CLAIM, emptyDir: { sizeLimit: '64Mi' } }]),
          ],
        },
      },
      ...(hasVolume ? { volumeClaimTemplates: [claim(manifest, workload, digests.genesis)] } : {}),
    },
  };
}

/** The name of the volume of a workload's pod, as its StatefulSet makes it. */
export function claimOf(rollup: string, workload: Workload): string {
  return `${CLAIM}-${objectName(rollup, workload)}-0`;
}

function claim(manifest: Manifest, workload: Workload, genesis: string): PersistentVolumeClaim {
  const { storageClassName, storageSize } = manifest;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: CLAIM,
      labels: { ...metadataOf(manifest, workload, workload).labels },
      annotations: { [GENESIS_ANNOTATION]: genesis },
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      ...(storageClassName === undefined ? {} : { storageClassName }),
      // The faucet keeps a line for each claim.
      resources: { requests: { storage: workload === 'faucet' ? '256Mi' : storageSize } },
    },
  };
}

/** @param limit Memory of the container, in the notation of a manifest. */
export function commandOf({ name, memory }: Program, limit: string): string[] {
  const heap = Math.max(32, Math.floor((bytesOf(limit) * HEAP_SHARE) / MEBI));
  return ['node', `--max-semi-space-size=${memory.young}`, `--max-old-space-size=${heap}`, `/app/bin/${name}.mjs`];
}

function container(manifest: Manifest, process: Process): Container {
  const memory = manifest[`${process}Memory`];
  return {
    name: process,
    image: manifest.image,
    imagePullPolicy: 'IfNotPresent',
    command: commandOf(PROGRAMS[process], memory),
    envFrom: [{ configMapRef: { name: objectName(manifest.name, SETTINGS_PARTS[process]) } }],
    env: secretVariables(manifest, process),
    ports: Object.entries(PORTS[process])
      .filter(
        ([name, port]) =>
          name !== 'health' || !Object.entries(PORTS[process]).some(([other, same]) => other !== name && same === port),
      )
      .map(([name, port]) => ({ name: portName(process, name), containerPort: port })),
    resources: { requests: { cpu: manifest[`${process}Cpu`], memory }, limits: { memory } },
    securityContext: containerSecurity(),
    // A chain that is long may take minutes to open.
    startupProbe: probe(process, '/healthz', { periodSeconds: 1, failureThreshold: 600 }),
    livenessProbe: probe(process, '/healthz', { periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 }),
    readinessProbe: probe(process, PROGRAMS[process].ready.path, { periodSeconds: 3, timeoutSeconds: 3 }),
    volumeMounts: mountsOf(manifest, process),
  };
}

/** Names of ports are short, and unique in a pod. */
export function portName(process: Process, port: string): string {
  return port === 'http' || port === 'ws'
    ? port
    : `${process === 'conductor' ? 'cond' : process.slice(0, 8)}-${port === 'metrics' ? 'met' : port}`;
}

function probe(process: Process, path: string, timing: Probe): Probe {
  return { httpGet: { path, port: PORTS[process].health }, ...timing };
}

function secretVariables({ explorerPostgresSecret }: Manifest, process: Process): EnvVar[] {
  if (process !== 'explorer' || explorerPostgresSecret === undefined) return [];
  return [{ name: EXPLORER_DB_URL, valueFrom: { secretKeyRef: { name: explorerPostgresSecret, key: 'url' } } }];
}

function volumesOf(manifest: Manifest, process: Process): Volume[] {
  const { name } = manifest;
  const key = KEY_PARTS[process];
  const token = tokenFor(manifest, process);
  return [
    ...(process === 'evm' ? [{ name: 'genesis', configMap: { name: objectName(name, 'genesis') } }] : []),
    ...(key === undefined ? [] : [{ name: key, secret: { secretName: objectName(name, key), defaultMode: 0o400 } }]),
    // Not the secret beside that of a light node, with which tokens are made.
    ...(token === undefined
      ? []
      : [
          {
            name: TOKEN,
            secret: {
              ...{ secretName: token.secretName, defaultMode: 0o400 },
              items: [{ key: token.tokenKey, path: token.tokenKey }],
            },
          },
        ]),
  ];
}

const tokenFor = (manifest: Manifest, process: Process) => (process === 'conductor' ? daToken(manifest) : undefined);

function mountsOf(manifest: Manifest, process: Process): VolumeMount[] {
  const key = KEY_PARTS[process];
  return [
    { name: 'tmp', mountPath: '/tmp', subPath: process },
    // A conductor keeps the newest header of the layer that it has verified, and else nothing.
    ...(process === 'conductor' && !readsFirm(manifest)
      ? []
      : [{ name: CLAIM, mountPath: `${PLACES.data}/${process}`, subPath: process }]),
    ...(process === 'evm' ? [{ name: 'genesis', mountPath: PLACES.genesis, readOnly: true }] : []),
    ...(key === undefined ? [] : [{ name: key, mountPath: PLACES.key, readOnly: true }]),
    ...(tokenFor(manifest, process) === undefined ? [] : [{ name: TOKEN, mountPath: PLACES.key, readOnly: true }]),
  ];
}

const UNITS: Readonly<Record<string, number>> = { '': 1, Ki: 1024, Mi: MEBI, Gi: 1024 * MEBI, Ti: MEBI * MEBI };

/** Bytes of a quantity as a manifest has it, such as `256Mi`. */
export function bytesOf(quantity: string): number {
  const [, digits = '0', unit = ''] = /^(\d+)(\w*)$/.exec(quantity) ?? [];
  return Number(digits) * (UNITS[unit] ?? 1);
}
