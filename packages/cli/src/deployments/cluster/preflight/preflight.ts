import { workloadsOf } from '@switchyard/stack';
import { described } from '../../../commands/manifest/file.ts';
import type { Connections } from '../../../connections.ts';
import { type Sorted, sorted } from '../../preflight/finding.ts';
import { keyFindings } from '../../preflight/keys.ts';
import { layerFindings } from '../../preflight/layer.ts';
import { sequencerFindings } from '../../preflight/sequencer.ts';
import type { CreateRequest } from '../../target.ts';
import type { ClusterApi } from '../api.ts';
import { accessFindings } from './access.ts';
import { chainFindings } from './chain.ts';
import { hostsOf, ingressFindings } from './ingress.ts';
import { nameFindings } from './names.ts';
import { namespaceFindings } from './namespace.ts';
import { secretFindings } from './secrets.ts';
import { storageFindings } from './storage.ts';

export interface Checked extends Sorted {
  /** The namespace belongs to others and stays as it is. */
  readonly isForeignNamespace: boolean;
  /** Keys that everybody has are used, since the user insists. */
  readonly hasDevKey: boolean;
}

/** Checks a cluster, a sequencer and keys for what a deployment needs. @throws {Failure} where the cluster cannot be asked. */
export async function preflight(
  api: ClusterApi,
  connect: Connections,
  { manifest, keys, force }: Omit<CreateRequest, 'timeoutMs'>,
): Promise<Checked> {
  const objects = described(undefined, () => workloadsOf(manifest, keys));
  const access = await accessFindings(api, manifest.namespace);
  if (access.some(({ severity }) => severity === 'refused'))
    return { ...sorted(access, force), isForeignNamespace: false, hasDevKey: false };
  const { name, ingressClassName } = manifest;
  const rollup = { family: 'rollup', name, namespace: manifest.namespace } as const;
  const [namespace, key, ...others] = await Promise.all([
    namespaceFindings(api, rollup),
    keyFindings(manifest, keys),
    nameFindings(api, rollup, objects),
    chainFindings(api, manifest),
    ingressFindings(api, rollup, { ingressClassName, hosts: hostsOf(manifest) }),
    storageFindings(api, manifest),
    secretFindings(api, manifest),
    sequencerFindings(connect, manifest, keys),
    layerFindings(manifest, keys),
  ]);
  const findings = [...access, ...namespace.findings, ...key.findings, ...others.flat()];
  return { ...sorted(findings, force), isForeignNamespace: namespace.isForeign, hasDevKey: key.hasDevKey };
}
