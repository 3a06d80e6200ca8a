import type { Service } from 'kubernetes-types/core/v1.js';
import type { Ingress, NetworkPolicy } from 'kubernetes-types/networking/v1.js';
import type { Manifest } from '../manifest/fields.ts';
import { type Host, hostOf, serviceName } from '../names.ts';
import { metadataOf, rollupMetadata, selector, type Workload } from './metadata.ts';
import { CONTAINERS, portName } from './pods.ts';
import { PORTS } from './site.ts';

/** Ports that other pods and the ingress may reach, by name. */
const SERVED: Readonly<Record<Workload, Readonly<Record<string, number>>>> = {
  evm: { http: PORTS.evm.http, ws: PORTS.evm.ws },
  faucet: { http: PORTS.faucet.http },
  explorer: { http: PORTS.explorer.http },
};

/** Where each host name leads. */
const ROUTES: Readonly<Record<Host, readonly [Workload, 'http' | 'ws']>> = {
  blockscout: ['explorer', 'http'],
  faucet: ['faucet', 'http'],
  executor: ['evm', 'http'],
  'ws-executor': ['evm', 'ws'],
};

/**
 * Traefik reaches the Service by its own address, as other controllers and pods do. Else it takes the ready pods for its
 * configuration, and drops the host name while there is none.
 */
const BY_SERVICE = { 'traefik.ingress.kubernetes.io/service.nativelb': 'true' } as const;

export function service(manifest: Manifest, workload: Workload): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      ...metadataOf(manifest, workload, workload),
      name: serviceName(manifest.name, workload),
      annotations: { ...BY_SERVICE },
    },
    spec: {
      selector: selector(manifest, workload),
      // A node whose composer or conductor waits for the sequencer still answers queries, and there is no other one.
      publishNotReadyAddresses: true,
      ports: Object.entries(SERVED[workload]).map(([name, port]) => ({
        name,
        port,
        targetPort: portName(workload, name),
      })),
    },
  };
}

export function ingress(manifest: Manifest, workloads: readonly Workload[]): Ingress {
  const { name, ingressHostname, ingressClassName, ingressTlsSecret } = manifest;
  const routes = Object.entries(ROUTES).filter(([, [workload]]) => workloads.includes(workload));
  // The keys of the table above.
  const hosts = routes.map(([host]) => hostOf(host as Host, name, ingressHostname));
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: rollupMetadata(manifest),
    spec: {
      ...(ingressClassName === undefined ? {} : { ingressClassName }),
      ...(ingressTlsSecret === undefined ? {} : { tls: [{ hosts, secretName: ingressTlsSecret }] }),
      rules: routes.map(([, [workload, port]], index) => ({
        host: hosts[index] ?? '',
        http: {
          paths: [
            {
              path: '/',
              pathType: 'Prefix',
              backend: { service: { name: serviceName(name, workload), port: { name: port } } },
            },
          ],
        },
      })),
    },
  };
}

const DNS = [
  { protocol: 'UDP', port: 53 },
  { protocol: 'TCP', port: 53 },
] as const;

/** Bounds which ports of a workload's pods are reached, and what the faucet may reach. */
export function networkPolicy(manifest: Manifest, workload: Workload): NetworkPolicy {
  const served = Object.values(SERVED[workload]).map((port) => ({ protocol: 'TCP' as const, port }));
  const metrics = CONTAINERS[workload].map((process) => ({ protocol: 'TCP' as const, port: PORTS[process].metrics }));
  const toNode = [{ protocol: 'TCP' as const, port: PORTS.evm.http }];
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: metadataOf(manifest, workload, workload),
    spec: {
      podSelector: { matchLabels: selector(manifest, workload) },
      // The sequencer and a database may be anywhere. The faucet has money and needs the node alone.
      policyTypes: workload === 'faucet' ? ['Ingress', 'Egress'] : ['Ingress'],
      ingress: [{ ports: served }, { from: [{ namespaceSelector: {} }], ports: metrics }],
      ...(workload === 'faucet'
        ? {
            egress: [
              { to: [{ podSelector: { matchLabels: selector(manifest, 'evm') } }], ports: toNode },
              { ports: DNS.map((each) => ({ ...each })) },
            ],
          }
        : {}),
    },
  };
}
