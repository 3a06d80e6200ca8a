import type { Service } from 'kubernetes-types/core/v1.js';
import type { Ingress, NetworkPolicySpec } from 'kubernetes-types/networking/v1.js';
import { INGRESS_NAMESPACE } from '../ingress/traefik.ts';
import {
  anyPods,
  dns,
  ingressObject,
  type Ports,
  podsIn,
  serviceObject,
  tcp,
  toMetadata,
  toPods,
  toSelector,
} from '../kubernetes/objects.ts';
import type { Manifest } from '../manifest/fields.ts';
import { serviceName } from '../names.ts';
import { isWithdrawer } from '../roles.ts';
import { partMetadata, toOwner } from './metadata.ts';
import { containersIn, deployed, getPorts, isNode, nodeIn, processesIn, routesIn, type Workload } from './parts.ts';

/** Ports that other pods and the ingress may reach, by name. */
function servedBy(workload: Workload): Ports {
  const { metrics: _, ...served } = getPorts(workload);
  return served;
}

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
  return serviceObject(metadata, toSelector(name, workload), servedBy(workload), 'all');
}

export function ingress(manifest: Manifest): Ingress {
  const { name, ingressClassName: className, ingressTlsSecret: tlsSecret } = manifest;
  const routes = routesIn(manifest).map(
    (route) => [route.name, serviceName(name, route.process), route.listener] as const,
  );
  return ingressObject(toMetadata(toOwner(manifest), name, undefined), routes, { className, tlsSecret });
}

/** Pods of the ingress controller: that of k3s clusters, or our own, unless the manifest names another. */
const getIngress = ({ ingressNamespace }: Manifest) =>
  (ingressNamespace === undefined ? ['kube-system', INGRESS_NAMESPACE] : [ingressNamespace]).map(podsIn);

/** Bounds the reachable ports of a workload's pods, and the targets of the faucet. */
export function toPolicy(manifest: Manifest, workload: Workload): Pick<NetworkPolicySpec, 'ingress' | 'egress'> {
  const { name } = manifest;
  const metrics = containersIn(workload).flatMap((process) => getPorts(process).metrics ?? []);
  const served = Object.values(servedBy(workload));
  const callers = isNode(workload) ? processesIn(manifest).filter((process) => deployed(process).callsNode) : [];
  const node = nodeIn(manifest);
  return {
    // Processes behind the ingress believe each peer of these ports about the address of the client. Operators read the withdrawals and the balance sheet, from inside the cluster.
    ingress: isWithdrawer(workload)
      ? [{ from: [anyPods()], ports: tcp(...served, ...metrics) }]
      : [
          {
            from: [...getIngress(manifest), ...callers.map((each) => toPods(name, each))],
            ports: tcp(...served),
          },
          { from: [anyPods()], ports: tcp(...metrics) },
        ],
    // The sequencer and a database may be anywhere. The faucet has money and needs the node alone.
    ...(workload === 'faucet' && {
      egress: [{ to: [toPods(name, node)], ports: tcp(getPorts(node).http ?? 0) }, { ports: dns() }],
    }),
  };
}
