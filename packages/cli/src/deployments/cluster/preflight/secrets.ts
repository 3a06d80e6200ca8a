import type { Manifest } from '@switchyard/stack';
import { type Finding, noted, refused } from '../../preflight/finding.ts';
import type { ClusterApi } from '../api.ts';

/** Secrets that the user makes, and the manifest names. */
export async function secretFindings(api: ClusterApi, manifest: Manifest): Promise<Finding[]> {
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
