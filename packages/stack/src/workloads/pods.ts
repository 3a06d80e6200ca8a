import type { Container, EnvVar, Volume, VolumeMount } from 'kubernetes-types/core/v1.js';
import { PLACES } from '../container.ts';
import { CLAIM, programContainer, readOnly, secretVolume, stateOf, temporary } from '../kubernetes/pods.ts';
import type { Manifest } from '../manifest/fields.ts';
import { objectName, type Part } from '../names.ts';
import { PROGRAMS, type Process } from '../programs.ts';
import { daToken, readsFirm } from './da-light-endpoint.ts';
import type { Workload } from './metadata.ts';
import { EXPLORER_DB_URL } from './settings.ts';
import { PORTS } from './site.ts';

/** Volume with the token of the node that firm blocks are read from. */
const TOKEN = 'da-token';

/** The containers of each workload. Those of one pod share a network, so that what is between them is on loopback. */
export const CONTAINERS: Readonly<Record<Workload, readonly Process[]>> = {
  evm: ['evm', 'composer', 'conductor'],
  withdrawer: ['withdrawer'],
  faucet: ['faucet'],
  explorer: ['explorer'],
};

/** The Secret that a process gets its key from. */
export const KEY_PARTS: Readonly<Partial<Record<Process, Part>>> = {
  composer: 'composer-key',
  withdrawer: 'withdrawer-key',
  faucet: 'faucet-key',
};

/** The part with the settings of a process. */
export const settingsPart = (process: Process): Part => `${process}-settings`;

/** The name of the volume of a workload's pod, as its StatefulSet makes it. */
export function claimOf(rollup: string, workload: Workload): string {
  return `${CLAIM}-${objectName(rollup, workload)}-0`;
}

export function containerOf(manifest: Manifest, process: Process): Container {
  return programContainer(
    PROGRAMS[process],
    {
      image: manifest.image,
      settings: objectName(manifest.name, settingsPart(process)),
      env: secretVariables(manifest, process),
      ports: PORTS[process],
      ...{ cpu: manifest[`${process}Cpu`], memory: manifest[`${process}Memory`] },
      mounts: mountsOf(manifest, process),
    },
    (port) => portName(process, port),
  );
}

/** Names of ports are short, and unique in a pod. */
function portName(process: Process, port: string): string {
  return port === 'http' || port === 'ws'
    ? port
    : `${process === 'conductor' ? 'cond' : process.slice(0, 8)}-${port === 'metrics' ? 'met' : port}`;
}

function secretVariables({ explorerPostgresSecret }: Manifest, process: Process): EnvVar[] {
  if (process !== 'explorer' || explorerPostgresSecret === undefined) return [];
  return [{ name: EXPLORER_DB_URL, valueFrom: { secretKeyRef: { name: explorerPostgresSecret, key: 'url' } } }];
}

export function volumesOf(manifest: Manifest, process: Process): Volume[] {
  const { name } = manifest;
  const key = KEY_PARTS[process];
  const token = tokenFor(manifest, process);
  return [
    ...(process === 'evm' ? [{ name: 'genesis', configMap: { name: objectName(name, 'genesis') } }] : []),
    ...(key === undefined ? [] : [secretVolume(key, objectName(name, key))]),
    // Not the secret beside that of a light node, with which tokens are made.
    ...(token === undefined ? [] : [secretVolume(TOKEN, token.secretName, [token.tokenKey])]),
  ];
}

const tokenFor = (manifest: Manifest, process: Process) => (process === 'conductor' ? daToken(manifest) : undefined);

function mountsOf(manifest: Manifest, process: Process): VolumeMount[] {
  const key = KEY_PARTS[process];
  return [
    temporary(process),
    // A conductor keeps the newest header of the layer that it has verified, and else nothing.
    ...(process === 'conductor' && !readsFirm(manifest) ? [] : [stateOf(process)]),
    ...(process === 'evm' ? [readOnly('genesis', PLACES.genesis)] : []),
    ...(key === undefined ? [] : [readOnly(key, PLACES.key)]),
    ...(tokenFor(manifest, process) === undefined ? [] : [readOnly(TOKEN, PLACES.key)]),
  ];
}
