import type { Manifest } from '@switchyard/stack';
import { plain } from '../../../print.ts';
import { type Finding, refused } from '../../preflight/finding.ts';
import type { ClusterApi } from '../api.ts';

const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';

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
  if (classes.some(({ metadata }) => metadata?.annotations?.[DEFAULT_CLASS] === 'true')) return [];
  return [refused(`${setting}: none is given, and no storage class is the default; ${there}`)];
}
