import { PLACES } from '../container.ts';
import type { Site } from '../deployment.ts';
import type { Manifest } from '../manifest/fields.ts';
import { DA_LIGHT_FILES } from '../manifest/layer.ts';
import { type Host, namesInside, serviceName, toHost } from '../names.ts';
import { usualListener, usualPort, usualPorts } from '../ports.ts';
import { getProgram, PROGRAMS } from '../programs.ts';
import type { LayerProcess, Process } from '../roles.ts';
import { genesisName } from './genesis.ts';
import { getPorts, INSIDE, nodeIn, routesIn } from './parts.ts';

/** Addresses of the local layer and of a relayer. */
export const LAYER_PORTS = {
  da: usualPorts(PROGRAMS.da, 'rpc', 'grpc'),
  relayer: usualPorts(PROGRAMS.relayer, 'health'),
} as const;

/** Memory of their containers, requested and bounded. */
export const LAYER_MEMORY = { da: '256Mi', relayer: '256Mi' } as const;

const outside = (served: Process | LayerProcess, manifest: Manifest) =>
  routesIn(manifest).flatMap(({ process, name }) => (process === served ? [name] : []));

/** Pods in a namespace, behind an ingress. */
export function clusterSite(manifest: Manifest): Site {
  const { name, namespace, ingressTlsSecret, ingressHostname } = manifest;
  const node = nodeIn(manifest);
  return {
    // Between the containers of one pod, which share a network: no other pod reaches these.
    listen: (process, listener) =>
      INSIDE.includes(listener)
        ? usualListener(getProgram(process), listener)
        : `0.0.0.0:${usualPort(getProgram(process), listener)}`,
    execution: usualListener(getProgram(node), 'execution'),
    node: `http://${serviceName(name, node)}.${namespace}:${getPorts(node).http}`,
    data: (process) => `${PLACES.data}/${process}`,
    genesisFile: `${PLACES.genesis}/${genesisName(manifest)}`,
    keyFile: () => `${PLACES.key}/${PLACES.keyFile}`,
    tokenFile: `${PLACES.key}/${DA_LIGHT_FILES.readToken}`,
    relayer: usualListener(PROGRAMS.relayer, 'health'),
    // The addresses of the ingress are not known before it runs: the policy lets nothing else reach these ports.
    proxies: { proxyCount: 1, trustedProxies: '*' },
    hostNames: (served) => [...outside(served, manifest), namesInside(serviceName(name, served), namespace)].join(','),
    url: (host) => toUrl(host, `${ingressTlsSecret === undefined ? '' : 's'}`, toHost(host, name, ingressHostname)),
  };
}

/** Places on this machine, next to the manifest. */
export interface LocalPlaces {
  /** Absolute. */
  readonly directory: string;
  /** Port of each process, by the names of its listeners. */
  port(process: Process | LayerProcess, port: string): number;
  /** Address of the reverse proxy. */
  readonly proxyPort: number;
}

/** Processes of this machine on loopback, behind a reverse proxy. */
export function localSite(manifest: Manifest, { directory, port, proxyPort }: LocalPlaces): Site {
  const { name, ingressHostname } = manifest;
  const node = nodeIn(manifest);
  const at = (process: Process | LayerProcess, listener: string) => `127.0.0.1:${port(process, listener)}`;
  return {
    listen: at,
    execution: at(node, 'execution'),
    node: `http://${at(node, 'http')}`,
    data: (process) => `${directory}/data/${process}`,
    genesisFile: `${directory}/config/${genesisName(manifest)}`,
    keyFile: (process) => `${directory}/config/${process}-key`,
    tokenFile: `${directory}/config/da-token`,
    relayer: at('relayer', 'health'),
    proxies: { proxyCount: 1 },
    hostNames: (served) => outside(served, manifest).join(','),
    url: (host) => toUrl(host, '', `${toHost(host, name, ingressHostname)}:${proxyPort}`),
  };
}

const toUrl = (host: Host, secure: string, authority: string) =>
  `${host === 'ws-executor' ? 'ws' : 'http'}${secure}://${authority}`;
