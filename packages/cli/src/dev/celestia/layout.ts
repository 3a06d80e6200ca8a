import { join } from 'node:path';
import type { InstancePaths } from '../instance/home.ts';

/*
 * Files of the Celestia network of an instance, and which services are its nodes. Keys are in `config/`, apart from what
 * a reset removes: without its data the network is made again around them.
 */

export const CELESTIA_CHAIN = 'celestia-dev';

/** Labels of the services: the validator, the node that serves its blocks to others, and the node for conductors. */
export const CELESTIA_LABELS = ['celestia-app', 'celestia-bridge', 'celestia-light'] as const;
export type CelestiaLabel = (typeof CELESTIA_LABELS)[number];

export function isCelestiaLabel(label: string): label is CelestiaLabel {
  return CELESTIA_LABELS.some((each) => each === label);
}

/** Name of the file that a service with this label runs. */
export function celestiaProgram(label: CelestiaLabel): 'celestia' | 'celestia-appd' {
  return label === 'celestia-app' ? 'celestia-appd' : 'celestia';
}

export function celestiaPaths({ config, data, relayerKey }: InstancePaths) {
  const keys = join(config, 'celestia');
  return {
    /** Identity of the bridge node among its peers, as its key store has it. */
    bridgeKey: join(keys, 'bridge_p2p_key.json'),
    /** Secret with which the light node checks tokens, as its key store has it. */
    lightSecret: join(keys, 'light_jwt_secret.json'),
    /** With which conductors read from it. */
    readToken: join(keys, 'light_read_token'),
    /** Pays for posted blocks. */
    relayerKey,
    data: join(data, 'celestia'),
  };
}
