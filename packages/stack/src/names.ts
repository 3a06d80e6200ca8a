import type { LayerProcess, Process } from './roles.ts';

/**
 * Names of the objects that belong to a rollup. Each begins with the name of the rollup, so that several share a
 * namespace, and ends with the part that it is for.
 */

/** Bytes of a DNS label: Services, label values, host names. */
const LABEL = 63;
/** Pods of a StatefulSet carry its name in a label, followed by a dash and a hash of ten characters. */
const STATEFUL_SET = LABEL - 11;

/** The end of the name of an object, by its purpose. */
export type Part =
  | (Process | LayerProcess | `${Process}-${'settings' | 'key'}`)
  | ('da-light' | 'da-light-settings' | 'da-light-access' | 'da-token' | 'genesis');

/** @param owner Name of the rollup; of the data-availability node, its label prefix. */
export function objectName(owner: string, part: Part): string {
  return `${owner}-${part}`;
}

/** Names of Services begin with a letter, and names of rollups need not. */
export function serviceName(owner: string, part: Part): string {
  return `${/^\d/.test(owner) ? 'r-' : ''}${objectName(owner, part)}`;
}

/** The longest name of a rollup that a StatefulSet for a part still fits with. All other objects may have longer ones. */
export const longestWith = (part: Part): number => STATEFUL_SET - part.length - 1;

/** The longest name of a rollup without a payer of withdrawals. */
export const MAX_ROLLUP_NAME = Math.min(longestWith('explorer'), longestWith('da-light'));

/** First labels of the host names; the rest is `<rollup>.<hostname>`. */
export const HOSTS = ['blockscout', 'faucet', 'executor', 'ws-executor', 'api'] as const;

export type Host = (typeof HOSTS)[number];

export function toHost(host: Host, rollup: string, hostname: string): string {
  return `${host}.${rollup}.${hostname}`;
}

/** All names of a Service inside the cluster, separated by commas. */
export function namesInside(service: string, namespace: string): string {
  const rest = ['', `.${namespace}`, `.${namespace}.svc`, `.${namespace}.svc.cluster.local`];
  return rest.map((each) => `${service}${each}`).join(',');
}
