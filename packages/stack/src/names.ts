/**
 * Names of the objects that belong to a rollup. Each begins with the name of the rollup, so that several share a
 * namespace, and ends with the part that it is for.
 */

/** Bytes of a DNS label: Services, label values, host names. */
const LABEL = 63;
/** Most other names: ConfigMaps, Secrets, claims. */
const SUBDOMAIN = 253;
/** Pods of a StatefulSet carry its name in a label, followed by a dash and a hash of ten characters. */
const STATEFUL_SET = LABEL - 11;

/** Suffixes after the name of the rollup, with the most bytes that the whole name may have. */
const PARTS = {
  evm: STATEFUL_SET,
  rollup: STATEFUL_SET,
  withdrawer: STATEFUL_SET,
  faucet: STATEFUL_SET,
  explorer: STATEFUL_SET,
  'da-light': STATEFUL_SET,
  genesis: SUBDOMAIN,
  'evm-settings': SUBDOMAIN,
  'rollup-settings': SUBDOMAIN,
  'composer-settings': SUBDOMAIN,
  'conductor-settings': SUBDOMAIN,
  'withdrawer-settings': SUBDOMAIN,
  'faucet-settings': SUBDOMAIN,
  'explorer-settings': SUBDOMAIN,
  'da-light-settings': SUBDOMAIN,
  'composer-key': SUBDOMAIN,
  'withdrawer-key': SUBDOMAIN,
  'faucet-key': SUBDOMAIN,
  'da-light-access': SUBDOMAIN,
  'da-token': SUBDOMAIN,
} as const;

export type Part = keyof typeof PARTS;

/** @param owner Name of the rollup; of the data-availability node, its label prefix. */
export function objectName(owner: string, part: Part): string {
  return `${owner}-${part}`;
}

/** Names of Services begin with a letter, and names of rollups need not. */
export function serviceName(owner: string, part: Part): string {
  return `${/^\d/.test(owner) ? 'r-' : ''}${objectName(owner, part)}`;
}

const longestWith = (part: string, most: number) => most - part.length - 1;

/** The longest name of a rollup with a withdrawer. */
export const MAX_NAME_WITH_WITHDRAWER = longestWith('withdrawer', PARTS.withdrawer);

/** The longest name of a rollup that the names of all other objects still fit with. */
export const MAX_ROLLUP_NAME = Math.min(
  ...Object.entries(PARTS).flatMap(([part, most]) => (part === 'withdrawer' ? [] : [longestWith(part, most)])),
);

/** First labels of the host names; the rest is `<rollup>.<hostname>`. */
export const HOSTS = ['blockscout', 'faucet', 'executor', 'ws-executor', 'api'] as const;

export type Host = (typeof HOSTS)[number];

export function hostOf(host: Host, rollup: string, hostname: string): string {
  return `${host}.${rollup}.${hostname}`;
}

/** All names of a Service inside the cluster, separated by commas. */
export function namesInside(service: string, namespace: string): string {
  const rest = ['', `.${namespace}`, `.${namespace}.svc`, `.${namespace}.svc.cluster.local`];
  return rest.map((each) => `${service}${each}`).join(',');
}
