import { PLACES } from '../container.ts';
import type { Manifest } from '../manifest/fields.ts';
import { type Host, namesInside, serviceName, toHost } from '../names.ts';
import { usualListener, usualPorts } from '../ports.ts';
import { getProgram, type LayerProcess, PROGRAMS, type Process } from '../programs.ts';
import { DA_LIGHT_FILES } from './da-light-endpoint.ts';
import { genesisName } from './genesis.ts';
import { getPorts, nodeIn, routesIn, type Workload } from './parts.ts';

/** Site of the processes of a rollup: their settings of addresses, files and names. */
export interface Site {
  /** Address of a process, as `host:port`. */
  listen(process: Process, listener: string): string;
  /** Between the node, its composer and its conductor. */
  readonly execution: string;
  readonly collector: string;
  /** HTTP API of the node, for the other processes: JSON-RPC of an EVM. */
  readonly node: string;
  /** A directory for the state of a process. */
  data(process: Process | LayerProcess): string;
  readonly genesisFile: string;
  keyFile(process: Process | LayerProcess): string;
  /** With the token of the data-availability node that the conductor reads from. */
  readonly tokenFile: string;
  /** The local layer and its relayer, if they run alongside the conductor. */
  readonly layer: LayerSite;
  /** Address of the relayer alongside the local layer, as `host:port`, for the explorer. */
  readonly relayer: string;
  /** Proxies between clients and processes that add the client's address, and their addresses. */
  readonly proxies: { readonly proxyCount: number; readonly trustedProxies?: string };
  /** Names under which requests reach a process, separated by commas. */
  hostNames(served: Workload): string;
  /** Address of the rollup for people and wallets. */
  url(host: Host): string;
}

/** Addresses as `host:port`. */
export interface LayerSite {
  readonly rpc: string;
  readonly grpc: string;
  /** API of the relayer, and names under which others reach it, separated by commas. */
  readonly health: string;
  readonly hostNames?: string;
  readonly metrics: Readonly<Record<LayerProcess, string>>;
}

/** Addresses of the local layer and of a relayer. */
export const LAYER_PORTS = {
  da: usualPorts(PROGRAMS.da, 'rpc', 'grpc'),
  relayer: usualPorts(PROGRAMS.relayer, 'health'),
} as const;

const outside = (served: Process, manifest: Manifest) =>
  routesIn(manifest).flatMap(({ process, name }) => (process === served ? [name] : []));

/** Pods in a namespace, behind an ingress. */
export function clusterSite(manifest: Manifest): Site {
  const { name, namespace, ingressTlsSecret, ingressHostname } = manifest;
  const node = nodeIn(manifest);
  return {
    listen: (process, port) => `0.0.0.0:${getPorts(process)[port]}`,
    // Between the containers of one pod, which share a network: no other pod reaches these.
    execution: usualListener(getProgram(node), 'execution'),
    collector: usualListener(PROGRAMS.composer, 'collector'),
    node: `http://${serviceName(name, node)}.${namespace}:${getPorts(node).http}`,
    data: (process) => `${PLACES.data}/${process}`,
    genesisFile: `${PLACES.genesis}/${genesisName(manifest)}`,
    keyFile: () => `${PLACES.key}/${PLACES.keyFile}`,
    tokenFile: `${PLACES.key}/${DA_LIGHT_FILES.readToken}`,
    layer: {
      ...{ rpc: usualListener(PROGRAMS.da, 'rpc'), grpc: usualListener(PROGRAMS.da, 'grpc') },
      health: `0.0.0.0:${LAYER_PORTS.relayer.health}`,
      metrics: { da: `0.0.0.0:${LAYER_PORTS.da.metrics}`, relayer: `0.0.0.0:${LAYER_PORTS.relayer.metrics}` },
    },
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
  /** Port of each process, by the names above, and the two between them. */
  port(process: Process | LayerProcess, port: string): number;
  /** Address of the reverse proxy. */
  readonly proxyPort: number;
}

/** Processes of this machine on loopback, behind a reverse proxy. */
export function localSite(manifest: Manifest, { directory, port, proxyPort }: LocalPlaces): Site {
  const { name, ingressHostname } = manifest;
  const node = nodeIn(manifest);
  const at = (process: Process | LayerProcess, which: string) => `127.0.0.1:${port(process, which)}`;
  return {
    listen: (process, which) => at(process, which),
    execution: at(node, 'execution'),
    collector: at('composer', 'collector'),
    node: `http://${at(node, 'http')}`,
    data: (process) => `${directory}/data/${process}`,
    genesisFile: `${directory}/config/${genesisName(manifest)}`,
    keyFile: (process) => `${directory}/config/${process}-key`,
    tokenFile: `${directory}/config/da-token`,
    layer: {
      ...{ rpc: at('da', 'rpc'), grpc: at('da', 'grpc'), health: at('relayer', 'health') },
      metrics: { da: at('da', 'metrics'), relayer: at('relayer', 'metrics') },
    },
    relayer: at('relayer', 'health'),
    proxies: { proxyCount: 1 },
    hostNames: (served) => outside(served, manifest).join(','),
    url: (host) => toUrl(host, '', `${toHost(host, name, ingressHostname)}:${proxyPort}`),
  };
}

const toUrl = (host: Host, secure: string, authority: string) =>
  `${host === 'ws-executor' ? 'ws' : 'http'}${secure}://${authority}`;
