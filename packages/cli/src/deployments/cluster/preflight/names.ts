import { DA_LIGHT, type KubernetesObject } from '@switchyard/stack';
import { plain } from '../../../print.ts';
import { type Finding, refused } from '../../preflight/finding.ts';
import type { ClusterApi } from '../api.ts';
import { OURS } from '../kinds.ts';
import { INSTANCE, type Installed, isOf, WORKLOAD } from '../labels.ts';

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
      .filter((object) => wanted.has(object.metadata?.name) && !isOf(object, one))
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

interface Named {
  readonly metadata?: { readonly name?: string; readonly labels?: { readonly [key: string]: string } };
}

/** The rollup whose light node an object belongs to, and the prefix of its names, which the manifest chooses. */
function lightNodeOwner(object: Named): { readonly owner: string; readonly prefix: string } | undefined {
  const { name = '', labels = {} } = object.metadata ?? {};
  const owner = labels[INSTANCE];
  if (owner === undefined || labels[WORKLOAD] !== DA_LIGHT || !isOf(object, { family: 'rollup', name: owner }))
    return undefined;
  return { owner: plain(owner), prefix: plain(name.slice(0, name.lastIndexOf(`-${DA_LIGHT}`))) };
}
