import type { Manifest } from '../manifest/fields.ts';
import type { Host } from '../names.ts';
import { clusterSite, LAYER_PORTS, PORTS, type Site } from '../workloads/site.ts';

/** The service whose network node, composer and conductor share. */
export const NODE_NETWORK = 'node-network';
/** Its name for the services beside it. */
export const NODE_HOST = 'evm';

/** The secret with the token of a data-availability node that runs elsewhere. */
export const DA_TOKEN = 'da-token';

const PORT_OF: Readonly<Record<Host, number>> = {
  blockscout: PORTS.explorer.http,
  faucet: PORTS.faucet.http,
  executor: PORTS.evm.http,
  'ws-executor': PORTS.evm.ws,
};

/** Containers of one machine, each reached by its port on loopback, without a proxy before them. */
export function composeSite(manifest: Manifest): Site {
  const cluster = clusterSite(manifest);
  return {
    ...cluster,
    layer: { ...cluster.layer, hostNames: NODE_HOST },
    rpc: `http://${NODE_HOST}:${PORTS.evm.http}`,
    relayer: `${NODE_HOST}:${LAYER_PORTS.relayer.health}`,
    keyFile: (process) => `/run/secrets/${process}-key`,
    tokenFile: `/run/secrets/${DA_TOKEN}`,
    proxies: { proxyCount: 0 },
    hostNames: (served) => served,
    url: (host) => `${host === 'ws-executor' ? 'ws' : 'http'}://localhost:${PORT_OF[host]}`,
  };
}
