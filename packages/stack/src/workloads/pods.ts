import type { Container, EnvVar, Volume, VolumeMount } from 'kubernetes-types/core/v1.js';
import { PLACES, toOptions } from '../container.ts';
import { CLAIM, programContainer, readOnly, secretVolume, temporary, toState } from '../kubernetes/pods.ts';
import type { Manifest } from '../manifest/fields.ts';
import { daToken, readsFirm } from '../manifest/layer.ts';
import { objectName, type Part } from '../names.ts';
import { getProgram, PROGRAMS } from '../programs.ts';
import { getRole, type Process } from '../roles.ts';
import { getPorts, isNode, keyPart, type Workload } from './parts.ts';
import { getSettings, type Settings, type SettingsOptions } from './settings.ts';

/** Volume with the token of the node that firm blocks are read from. */
const TOKEN = 'da-token';

/** The part with the settings of a process. */
export const settingsPart = (process: Process): Part => `${process}-settings`;

/** The name of the volume of a workload's pod, as its StatefulSet makes it. */
export function toClaim(rollup: string, workload: Workload): string {
  return `${CLAIM}-${objectName(rollup, workload)}-0`;
}

export function getContainer(manifest: Manifest, process: Process): Container {
  return programContainer(
    getProgram(process),
    {
      name: process,
      ...toImage(manifest, process),
      settings: objectName(manifest.name, settingsPart(process)),
      env: secretVariables(manifest, process),
      ports: getPorts(process),
      ...{ cpu: manifest[`${getRole(process)}Cpu`], memory: getMemory(manifest, process) },
      mounts: getMounts(manifest, process),
    },
    (port) => portName(process, port),
  );
}

/** Memory that a process gets. */
export const getMemory = (manifest: Manifest, process: Process): string => manifest[`${getRole(process)}Memory`];

/** The image of a process, and whether its entry point is the program. */
export function toImage({ image, rollupImage }: Manifest, process: Process) {
  const own = process === 'rollup' ? rollupImage : undefined;
  return { image: own ?? image, isEntryPoint: own !== undefined };
}

/** Environment of the container of a process: settings, and options of Node if the image starts the program. */
export function containerSettings(process: Process, manifest: Manifest, options: SettingsOptions): Settings {
  const { isEntryPoint } = toImage(manifest, process);
  const own = isEntryPoint ? toOptions(getProgram(process), getMemory(manifest, process)) : {};
  return { ...getSettings(process, manifest, options), ...own };
}

/** Names of ports are short, and unique in a pod. */
function portName(process: Process, port: string): string {
  return port === 'http' || port === 'ws'
    ? port
    : `${process === 'conductor' ? 'cond' : process.slice(0, 8)}-${port === 'metrics' ? 'met' : port}`;
}

function secretVariables({ explorerPostgresSecret }: Manifest, process: Process): EnvVar[] {
  if (process !== 'explorer' || explorerPostgresSecret === undefined) return [];
  const [name] = PROGRAMS.explorer.fields.dbUrl.names;
  return [{ name, valueFrom: { secretKeyRef: { name: explorerPostgresSecret, key: 'url' } } }];
}

export function getVolumes(manifest: Manifest, process: Process): Volume[] {
  const { name } = manifest;
  const key = keyPart(process);
  const token = tokenFor(manifest, process);
  return [
    ...(isNode(process) ? [{ name: 'genesis', configMap: { name: objectName(name, 'genesis') } }] : []),
    ...(key === undefined ? [] : [secretVolume(key, objectName(name, key))]),
    // Not the secret next to that of a light node, with which tokens are made.
    ...(token === undefined ? [] : [secretVolume(TOKEN, token.secretName, [token.tokenKey])]),
  ];
}

const tokenFor = (manifest: Manifest, process: Process) => (process === 'conductor' ? daToken(manifest) : undefined);

function getMounts(manifest: Manifest, process: Process): VolumeMount[] {
  const key = keyPart(process);
  return [
    temporary(process),
    // A conductor keeps the newest header of the layer that it has verified, and else nothing.
    ...(process === 'conductor' && !readsFirm(manifest) ? [] : [toState(process)]),
    ...(isNode(process) ? [readOnly('genesis', PLACES.genesis)] : []),
    ...(key === undefined ? [] : [readOnly(key, PLACES.key)]),
    ...(tokenFor(manifest, process) === undefined ? [] : [readOnly(TOKEN, PLACES.key)]),
  ];
}
