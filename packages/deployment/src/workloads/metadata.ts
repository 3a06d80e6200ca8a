import type { ObjectMeta } from 'kubernetes-types/meta/v1.js';
import type { Manifest } from '../manifest/fields.ts';
import { objectName, type Part } from '../names.ts';

/** What runs as pods of its own. */
export type Workload = 'evm' | 'faucet' | 'explorer';

export const MANAGER = 'switchyard';

type Labels = Readonly<Record<string, string>>;

/** What tells the pods of a workload from all others. Never changes: a selector of a StatefulSet cannot. */
export function selector({ name }: Manifest, workload: Workload): { [key: string]: string } {
  return { 'app.kubernetes.io/instance': name, 'app.kubernetes.io/name': workload };
}

function labels({ name }: Manifest, workload: Workload | undefined): Labels {
  return {
    'app.kubernetes.io/instance': name,
    ...(workload === undefined ? {} : { 'app.kubernetes.io/name': workload }),
    'app.kubernetes.io/part-of': 'switchyard',
    'app.kubernetes.io/managed-by': MANAGER,
  };
}

/** Of an object that belongs to a workload. */
export function metadataOf(manifest: Manifest, part: Part, workload: Workload): ObjectMeta & { readonly name: string } {
  return {
    name: objectName(manifest.name, part),
    namespace: manifest.namespace,
    labels: { ...labels(manifest, workload) },
  };
}

/** Of an object that belongs to the whole rollup and has its name. */
export function rollupMetadata(manifest: Manifest): ObjectMeta & { readonly name: string } {
  return { name: manifest.name, namespace: manifest.namespace, labels: { ...labels(manifest, undefined) } };
}
