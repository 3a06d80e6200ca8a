import { objectName, serviceName } from '../names.ts';
import type { Manifest } from './fields.ts';

/* The data-availability layer that a manifest names. */

/** Not a process of ours: celestia-node, from an image of its own. */
export const DA_LIGHT = 'da-light';

/** Ports of celestia-node's JSON-RPC, and of its peer-to-peer network. */
export const DA_LIGHT_PORTS = { rpc: 26_658, p2p: 2_121 } as const;

/** Keys of the Secret with which the light node is reached. */
export const DA_LIGHT_FILES = { secret: 'jwt-secret', readToken: 'read-token' } as const;

/** Whether the local layer and a relayer run with the rollup. */
export function hasLocalLayer({ daKind }: Manifest): boolean {
  return daKind === 'local';
}

/** Whether a light node belongs to the deployment. */
export function hasDaLight({ daKind, daNetwork }: Manifest): boolean {
  return daKind === 'light' && daNetwork !== undefined;
}

/** Address of the data availability of a deployment, from inside the cluster; undefined if it has no light node. */
export function daLightEndpoint(
  manifest: Manifest,
): { readonly url: string; readonly secretName: string; readonly tokenKey: string } | undefined {
  if (!hasDaLight(manifest)) return undefined;
  const { labelPrefix, namespace } = manifest;
  return {
    url: `http://${serviceName(labelPrefix, DA_LIGHT)}.${namespace}:${DA_LIGHT_PORTS.rpc}`,
    secretName: objectName(labelPrefix, 'da-light-access'),
    tokenKey: DA_LIGHT_FILES.readToken,
  };
}

/** The Secret with the token of the node that the conductor reads from; undefined if that asks for none. */
export function daToken(manifest: Manifest): { readonly secretName: string; readonly tokenKey: string } | undefined {
  const { daKind, daHasToken, name } = manifest;
  if (!readsFirm(manifest)) return undefined;
  if (daKind !== 'external') return daLightEndpoint(manifest);
  return daHasToken ? { secretName: objectName(name, 'da-token'), tokenKey: DA_LIGHT_FILES.readToken } : undefined;
}

/** A block of the network that is known to be right: later data are proven from it. */
export function trustedBlock(manifest: Manifest): { readonly height: bigint; readonly hash: string } | undefined {
  const { daTrustedHeight, daTrustedHash, daGenesisHash } = manifest;
  if (daTrustedHeight !== undefined && daTrustedHash !== undefined)
    return { height: daTrustedHeight, hash: daTrustedHash };
  return daGenesisHash === undefined ? undefined : { height: 1n, hash: daGenesisHash };
}

/** Whether the conductor reads firm blocks from a data-availability layer. */
export function readsFirm({ executionCommitLevel }: Manifest): boolean {
  return executionCommitLevel === 'SoftAndFirm';
}
