import { HOSTS, hostOf, type Manifest } from '@switchyard/stack';
import { plain } from '../../../print.ts';
import { type Finding, refused } from '../../preflight/finding.ts';
import type { ClusterApi } from '../api.ts';
import { type Installed, isOf } from '../labels.ts';

/** Class and host names of an ingress to be made. */
interface Wanted {
  readonly ingressClassName?: string | undefined;
  readonly hosts: readonly string[];
}

/** Where the user sets the two. */
const SETTINGS = { className: 'ingress.className', hostname: 'ingress.hostname' };

/** All host names of a rollup. */
export const hostsOf = ({ name, ingressHostname }: Manifest): readonly string[] =>
  HOSTS.map((host) => hostOf(host, name, ingressHostname));

const DEFAULT_CLASS = 'ingressclass.kubernetes.io/is-default-class';

/** The class of the ingress is there, and no ingress of others has its host names. */
export async function ingressFindings(
  api: ClusterApi,
  one: Installed,
  { ingressClassName, hosts }: Wanted,
  settings = SETTINGS,
): Promise<Finding[]> {
  const [mayClasses, mayAll] = await Promise.all([
    api.mayI({ verb: 'list', kind: 'IngressClass' }),
    api.mayI({ verb: 'list', kind: 'Ingress' }),
  ]);
  return [
    ...(mayClasses ? classFindings(ingressClassName, await api.list('IngressClass'), settings) : []),
    ...hostFindings(one, hosts, await api.list('Ingress', mayAll ? {} : { namespace: one.namespace }), settings),
  ];
}

interface ClassObject {
  readonly metadata?: { readonly name?: string; readonly annotations?: { readonly [key: string]: string } };
}

export function classFindings(
  ingressClassName: string | undefined,
  classes: readonly ClassObject[],
  { className } = SETTINGS,
): Finding[] {
  const names = classes.flatMap(({ metadata }) => metadata?.name ?? []).map(plain);
  const there = names.length === 0 ? 'the cluster has none' : `the cluster has ${names.join(', ')}`;
  const controller = `install an ingress controller, or set ${className}`;
  if (ingressClassName !== undefined)
    return names.includes(ingressClassName)
      ? []
      : [
          refused(
            `${className}: expected an ingress class of the cluster, got ${ingressClassName}; ${there}: ${controller}`,
          ),
        ];
  const isDefault = ({ metadata }: ClassObject) => metadata?.annotations?.[DEFAULT_CLASS] === 'true';
  if (classes.some(isDefault)) return [];
  return [refused(`${className}: none is given, and no ingress class is the default; ${there}: ${controller}`)];
}

interface IngressObject extends ClassObject {
  readonly metadata?: ClassObject['metadata'] & {
    readonly namespace?: string;
    readonly labels?: { readonly [key: string]: string };
  };
  readonly spec?: { readonly rules?: readonly { readonly host?: string }[] };
}

export function hostFindings(
  one: Installed,
  hosts: readonly string[],
  ingresses: readonly IngressObject[],
  { hostname } = SETTINGS,
): Finding[] {
  const wanted = new Set<string | undefined>(hosts);
  return ingresses
    .filter((ingress) => !(isOf(ingress, one) && ingress.metadata?.namespace === one.namespace))
    .flatMap(({ metadata, spec }) =>
      (spec?.rules ?? [])
        .filter(({ host }) => wanted.has(host))
        .map(({ host }) =>
          refused(
            `the host name ${host} is that of Ingress ${metadata?.name} in namespace ${metadata?.namespace}: give the ${one.family} another name or ${hostname}`,
          ),
        ),
    );
}
