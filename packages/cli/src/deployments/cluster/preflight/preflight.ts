import { getWorkloads, type Manifest, routesIn } from '@switchyard/stack';
import type { Connections } from '../../../connect.ts';
import { described } from '../../../described.ts';
import { type Finding, noted, refused, sorted } from '../../preflight/finding.ts';
import { keyFindings } from '../../preflight/keys.ts';
import { layerFindings } from '../../preflight/layer.ts';
import { sequencerFindings } from '../../preflight/sequencer.ts';
import type { CreateRequest } from '../../target.ts';
import type { ClusterApi } from '../api.ts';
import { accessFindings } from './access.ts';
import { chainFindings } from './chain.ts';
import { ingressFindings, nameFindings, namespaceFindings, storageFindings } from './cluster.ts';

/**
 * Checks that a cluster, a sequencer and keys meet the needs of a deployment.
 *
 * @returns with whether the namespace belongs to others and stays unchanged, and whether keys that everybody has are used.
 * @throws {Failure} if the cluster is unreachable.
 */
export async function preflight(
  api: ClusterApi,
  connect: Connections,
  { manifest, keys, force }: Omit<CreateRequest, 'timeoutMs' | 'directory'>,
) {
  const objects = described(undefined, () => getWorkloads(manifest, keys));
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
    ingressFindings(api, rollup, { ingressClassName, hosts: routesIn(manifest).map((route) => route.name) }),
    storageFindings(api, manifest),
    secretFindings(api, manifest),
    sequencerFindings(connect, manifest, keys),
    layerFindings(manifest, keys),
  ]);
  const findings = [...access, ...namespace.findings, ...key.findings, ...others.flat()];
  return { ...sorted(findings, force), isForeignNamespace: namespace.isForeign, hasDevKey: key.hasDevKey };
}

/** Secrets that the user makes, and the manifest names. */
async function secretFindings(api: ClusterApi, manifest: Manifest): Promise<Finding[]> {
  const { namespace, explorerPostgresSecret: postgres, ingressTlsSecret: tls } = manifest;
  const isThere = async (name: string) => (await api.read('Secret', name, namespace)) !== undefined;
  return [
    ...(postgres === undefined || (await isThere(postgres))
      ? []
      : [
          refused(
            `explorer.postgresSecret: expected a Secret of namespace ${namespace}, got ${postgres}, which is not there`,
          ),
        ]),
    // Issuers of certificates make it once they see the ingress.
    ...(tls === undefined || (await isThere(tls))
      ? []
      : [noted(`ingress.tlsSecret: the Secret ${tls} is not in namespace ${namespace} yet`)]),
  ];
}
