import type { Site } from '../deployment.ts';
import type { Manifest } from '../manifest/fields.ts';
import type { Host } from '../names.ts';
import { getPorts, nodeIn, routesIn } from '../workloads/parts.ts';
import { clusterSite, LAYER_PORTS } from '../workloads/site.ts';

/** The service whose network node, composer and conductor share. */
export const NODE_NETWORK = 'node-network';
/** The secret with the token of a data-availability node that runs elsewhere. */
export const DA_TOKEN = 'da-token';

/** Containers of one machine, each reached by its port on loopback, without a proxy before them. */
export function composeSite(manifest: Manifest): Site {
  const cluster = clusterSite(manifest);
  // The name of the shared network for the services next to it.
  const node = nodeIn(manifest);
  const getPort = (host: Host) => {
    const route = routesIn(manifest).find((each) => each.host === host);
    return route && getPorts(route.process)[route.listener];
  };
  return {
    ...cluster,
    node: `http://${node}:${getPorts(node).http}`,
    relayer: `${node}:${LAYER_PORTS.relayer.health}`,
    keyFile: (process) => `/run/secrets/${process}-key`,
    tokenFile: `/run/secrets/${DA_TOKEN}`,
    proxies: { proxyCount: 0 },
    hostNames: (process) => (process === 'relayer' ? node : process),
    url: (host) => `${host === 'ws-executor' ? 'ws' : 'http'}://localhost:${getPort(host)}`,
  };
}
