import { type Finding, refused, risky } from '../../preflight/finding.ts';
import type { ClusterApi } from '../api.ts';
import { type Installed, isOf, isOurs } from '../labels.ts';

export async function namespaceFindings(
  api: ClusterApi,
  one: Installed,
  /** Where another one is chosen. */
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
  if (account !== undefined && isOf(account, one)) return { isForeign: true, findings: [] };
  const text = `namespace ${namespace} belongs to others: choose another one with ${setting}`;
  return { isForeign: true, findings: [risky(text)] };
}
