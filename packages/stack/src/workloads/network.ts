import type { Service } from 'kubernetes-types/core/v1.js';
import type { Ingress, NetworkPolicySpec } from 'kubernetes-types/networking/v1.js';
import { INGRESS_NAMESPACE } from '../ingress/traefik.ts';
import {
  anyPods,
  dns,
  ingressObject,
  metadataOf,
  type Ports,
  podsIn,
  podsOf,
  selectorOf,
  serviceObject,
  tcp,
} from '../kubernetes/objects.ts';
import type { Manifest } from '../manifest/fields.ts';
import { HOSTS, type Host, hostOf, serviceName } from '../names.ts';
import { ownerOf, partMetadata, type Workload } from './metadata.ts';
import { CONTAINERS } from './pods.ts';
import { PORTS } from './site.ts';

/** Ports that other pods and the ingress may reach, by name. */
const SERVED: Readonly<Record<Workload, Ports>> = {
  evm: { http: PORTS.evm.http, ws: PORTS.evm.ws },
  withdrawer: { http: PORTS.withdrawer.http },
  faucet: { http: PORTS.faucet.http },
  explorer: { http: PORTS.explorer.http },
};

/** Workloads that call another one's served ports. */
const CALLERS: Readonly<Record<Workload, readonly Workload[]>> = {
  evm: ['withdrawer', 'faucet', 'explorer'],
  ...{ withdrawer: [], faucet: [], explorer: [] },
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
  const { name } = manifest;
  const metadata = {
    ...{ ...partMetadata(manifest, workload, workload), name: serviceName(name, workload) },
    annotations: { ...BY_SERVICE },
  };
  // A node whose composer or conductor waits for the sequencer still answers queries, and there is no other one.
  return serviceObject(metadata, selectorOf(name, workload), SERVED[workload], 'all');
}

export function ingress(manifest: Manifest, workloads: readonly Workload[]): Ingress {
  const { name, ingressHostname, ingressClassName: className, ingressTlsSecret: tlsSecret } = manifest;
  const routes = HOSTS.flatMap((host) => {
    const [workload, port] = ROUTES[host];
    if (!workloads.includes(workload)) return [];
    return [[hostOf(host, name, ingressHostname), serviceName(name, workload), port] as const];
  });
  return ingressObject(metadataOf(ownerOf(manifest), name, undefined), routes, { className, tlsSecret });
}

/** Bounds which ports of a workload's pods are reached, and what the faucet may reach. */
/** Pods of the ingress controller: the one that clusters of k3s bring along, or our own, unless the manifest names another. */
const ingressOf = ({ ingressNamespace }: Manifest) =>
  (ingressNamespace === undefined ? ['kube-system', INGRESS_NAMESPACE] : [ingressNamespace]).map(podsIn);

/** Bounds which ports of a workload's pods are reached, and what the faucet may reach. */
export function policyOf(manifest: Manifest, workload: Workload): Pick<NetworkPolicySpec, 'ingress' | 'egress'> {
  const { name } = manifest;
  const metrics = CONTAINERS[workload].map((process) => PORTS[process].metrics);
  const served = Object.values(SERVED[workload]);
  return {
    // Processes behind the ingress believe each peer of these ports about the address of the client. Operators read the withdrawals and the balance sheet, from inside the cluster.
    ingress:
      workload === 'withdrawer'
        ? [{ from: [anyPods()], ports: tcp(...served, ...metrics) }]
        : [
            {
              from: [...ingressOf(manifest), ...CALLERS[workload].map((each) => podsOf(name, each))],
              ports: tcp(...served),
            },
            { from: [anyPods()], ports: tcp(...metrics) },
          ],
    // The sequencer and a database may be anywhere. The faucet has money and needs the node alone.
    ...(workload === 'faucet' && {
      egress: [{ to: [podsOf(name, 'evm')], ports: tcp(PORTS.evm.http) }, { ports: dns() }],
    }),
  };
}
