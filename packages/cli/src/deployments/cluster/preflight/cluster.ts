import { plain } from '@switchyard/protocol/hidden-characters';
import { DA_LIGHT, type KubernetesObject, type Manifest } from '@switchyard/stack';
import { type Finding, refused, risky } from '../../preflight/finding.ts';
import { type ClusterApi, OURS } from '../api.ts';
import { belongsTo, INSTANCE, type Installed, isOurs, type Labelled, WORKLOAD } from '../labels.ts';

/** Class and host names of an ingress to be made. */
interface Wanted {
  readonly ingressClassName?: string | undefined;
  readonly hosts: readonly string[];
}

/** Settings of the two. */
const SETTINGS = { className: 'ingress.className', hostname: 'ingress.hostname' };

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

export function classFindings(
  ingressClassName: string | undefined,
  classes: readonly Labelled[],
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
  const isDefault = ({ metadata }: Labelled) => metadata?.annotations?.[DEFAULT_CLASS] === 'true';
  if (classes.some(isDefault)) return [];
  return [refused(`${className}: none is given, and no ingress class is the default; ${there}: ${controller}`)];
}

interface IngressObject extends Labelled {
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
    .filter((ingress) => !(belongsTo(ingress, one) && ingress.metadata?.namespace === one.namespace))
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

/** Objects of others that have a name which is needed. */
export async function nameFindings(
  api: Pick<ClusterApi, 'list'>,
  one: Installed,
  objects: readonly KubernetesObject[],
): Promise<Finding[]> {
  const { family, namespace } = one;
  const taken = OURS.map(async (kind) => {
    const wanted = new Set(objects.filter((each) => each.kind === kind).map(({ metadata }) => metadata?.name));
    const there = await api.list(kind, { namespace });
    return there
      .filter((object) => wanted.has(object.metadata?.name) && !belongsTo(object, one))
      .map((object) => {
        const other = lightNodeOwner(object);
        return other === undefined
          ? `${kind} ${object.metadata?.name} in namespace ${namespace} belongs to others: give the ${family} another name or namespace`
          : `da-node.config.labelPrefix: expected another one than ${other.prefix}, which the light node of rollup ${other.owner} has in namespace ${namespace}`;
      });
  });
  // A light node has several objects.
  return [...new Set((await Promise.all(taken)).flat())].map(refused);
}

/** The rollup whose light node an object belongs to, and the prefix of its names, which the manifest chooses. */
function lightNodeOwner(object: Labelled): { readonly owner: string; readonly prefix: string } | undefined {
  const { name = '', labels = {} } = object.metadata ?? {};
  const owner = labels[INSTANCE];
  if (owner === undefined || labels[WORKLOAD] !== DA_LIGHT || !belongsTo(object, { family: 'rollup', name: owner }))
    return undefined;
  return { owner: plain(owner), prefix: plain(name.slice(0, name.lastIndexOf(`-${DA_LIGHT}`))) };
}

export async function namespaceFindings(
  api: ClusterApi,
  one: Installed,
  /** The setting by which another one is chosen. */
  setting = 'global.namespace',
): Promise<{ readonly isForeign: boolean; readonly findings: readonly Finding[] }> {
  const { name, namespace } = one;
  const found = await api.read('Namespace', namespace);
  if (found === undefined) {
    const mayMake = await api.mayI({ verb: 'create', kind: 'Namespace' });
    const text = `namespace ${namespace} is not there, and context ${api.context} may not make it`;
    return { isForeign: false, findings: mayMake ? [] : [refused(text)] };
  }
  if (found.metadata?.deletionTimestamp !== undefined)
    return { isForeign: false, findings: [refused(`namespace ${namespace} is being deleted: wait until it is gone`)] };
  if (isOurs(found)) return { isForeign: false, findings: [] };
  // A user who has insisted once need not do so for each change.
  const account = await api.read('ServiceAccount', name, namespace);
  if (account !== undefined && belongsTo(account, one)) return { isForeign: true, findings: [] };
  const text = `namespace ${namespace} belongs to others: choose another one with ${setting}`;
  return { isForeign: true, findings: [risky(text)] };
}

const DEFAULT_STORAGE = 'storageclass.kubernetes.io/is-default-class';

export async function storageFindings(
  api: ClusterApi,
  { storageClassName }: Pick<Manifest, 'storageClassName'>,
  setting = 'storage.className',
): Promise<Finding[]> {
  if (!(await api.mayI({ verb: 'list', kind: 'StorageClass' }))) return [];
  const classes = await api.list('StorageClass');
  const names = classes.flatMap(({ metadata }) => metadata?.name ?? []);
  const there = names.length === 0 ? 'the cluster has none' : `the cluster has ${names.map(plain).join(', ')}`;
  if (storageClassName !== undefined)
    return names.includes(storageClassName)
      ? []
      : [refused(`${setting}: expected a storage class of the cluster, got ${storageClassName}; ${there}`)];
  if (classes.some(({ metadata }) => metadata?.annotations?.[DEFAULT_STORAGE] === 'true')) return [];
  return [refused(`${setting}: none is given, and no storage class is the default; ${there}`)];
}
