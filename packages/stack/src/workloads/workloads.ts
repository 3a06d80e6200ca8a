import { InvalidData, isLoopbackHost, type Problem, unexpected } from '@switchyard/service/input';
import { PLACES } from '../container.ts';
import { computeDigest } from '../kubernetes/digest.ts';
import { configMap, inOrder, type KubernetesObject, ownerObjects, secretObject } from '../kubernetes/objects.ts';
import { podObjects } from '../kubernetes/pods.ts';
import { type Manifest, manifestFields } from '../manifest/fields.ts';
import { daToken, hasDaLight } from '../manifest/layer.ts';
import { type Part, serviceName } from '../names.ts';
import { isWithdrawer, type Process, WITHDRAWERS } from '../roles.ts';
import { type DaLightAccess, daLightAccess, daLightObjects } from './da-light.ts';
import { genesisDigest, genesisName, genesisText } from './genesis.ts';
import { partMetadata, toOwner } from './metadata.ts';
import { ingress, service, toPolicy } from './network.ts';
import { containersIn, deployed, isNode, keyPart, type Workload, workloadsIn } from './parts.ts';
import { containerSettings, getContainer, getVolumes, settingsPart } from './pods.ts';

/** Texts of the key files: 64 hex digits, or a placeholder if they are not to be shown. */
export interface Keys {
  /** Key of the account on the sequencer that pays for bundles. */
  readonly sequencer: string;
  /** Key of the account on the rollup that the faucet gives from. */
  readonly faucet: string;
  /** Keys of the accounts that may pay out of the bridge accounts, in their order, if the manifest has withdrawers. */
  readonly withdrawers?: readonly string[];
  /** Token of a data-availability node that runs elsewhere and asks for one. */
  readonly daToken?: string;
  /** Access to the light node; made from the sequencer's key if it is not given. */
  readonly daLight?: DaLightAccess;
}

export interface Insisted {
  /** Processes run with a key that everybody has. */
  readonly allowDevKey?: boolean;
}

/**
 * All objects of a rollup, in the order in which they are applied.
 *
 * @throws {InvalidData} if the manifest describes parts that no cluster can run.
 */
export function getWorkloads(manifest: Manifest, keys: Keys, insisted: Insisted = {}): readonly KubernetesObject[] {
  const problems = problemsOnClusters(manifest);
  if (problems.length > 0) throw new InvalidData(problems);
  const workloads = workloadsIn(manifest);
  return inOrder([
    ...ownerObjects(toOwner(manifest)),
    ...workloads.flatMap((workload) => workloadObjects(manifest, workload, keys, insisted)),
    ingress(manifest),
    ...daLightObjects(manifest, () => keys.daLight ?? daLightAccess(manifest, keys.sequencer)),
  ]);
}

function workloadObjects(manifest: Manifest, workload: Workload, keys: Keys, insisted: Insisted) {
  const { name, storageSize, storageClassName: className, explorerPostgresSecret } = manifest;
  const processes = containersIn(workload);
  const { secrets, configMaps } = toFiles(manifest, workload, keys, insisted);
  const isElsewhere = workload === 'explorer' && explorerPostgresSecret !== undefined;
  const size = deployed(workload).storage ?? storageSize;
  return podObjects({
    ...{ metadata: partMetadata(manifest, workload, workload), owner: name, workload },
    ...{ reads: [...secrets, ...configMaps], digest: computeDigest({ secrets, configMaps }) },
    ...{ services: [service(manifest, workload)], serviceName: serviceName(name, workload) },
    policy: toPolicy(manifest, workload),
    containers: processes.map((process) => getContainer(manifest, process)),
    volumes: processes.flatMap((process) => getVolumes(manifest, process)),
    ...(isElsewhere ? {} : { storage: { size, className, genesis: genesisDigest(manifest) } }),
  });
}

/** The text of the key file of a process. */
export function keyFor(process: Process, { sequencer, faucet, withdrawers }: Keys): string | undefined {
  if (isWithdrawer(process)) return withdrawers?.[WITHDRAWERS.indexOf(process)];
  return process === 'composer' ? sequencer : process === 'faucet' ? faucet : undefined;
}

/** Files and settings that the pods of a workload read when they start. */
function toFiles(manifest: Manifest, workload: Workload, keys: Keys, insisted: Insisted) {
  const metadata = (part: Part) => partMetadata(manifest, part, workload);
  const secrets = containersIn(workload).flatMap((process) => {
    const [part, key] = [keyPart(process), keyFor(process, keys)];
    return part === undefined || key === undefined ? [] : [secretObject(metadata(part), { [PLACES.keyFile]: key })];
  });
  const token = isNode(workload) && manifest.daKind === 'external' ? daToken(manifest) : undefined;
  if (token !== undefined) {
    const text = keys.daToken ?? missing(manifestFields.daHasToken.path);
    secrets.push(secretObject(metadata('da-token'), { [token.tokenKey]: text }));
  }
  const genesis = isNode(workload)
    ? [configMap(metadata('genesis'), { [genesisName(manifest)]: genesisText(manifest) })]
    : [];
  const settings = containersIn(workload).map((process) =>
    configMap(metadata(settingsPart(process)), { ...containerSettings(process, manifest, insisted) }),
  );
  return { secrets, configMaps: [...genesis, ...settings] };
}

function missing(path: string): never {
  throw new Error(`a token is needed for the data-availability node, since ${path} is true`);
}

/** Problems of a valid manifest that keep it from running as pods. */
function problemsOnClusters(manifest: Manifest): Problem[] {
  const local =
    manifest.daKind === 'local'
      ? [
          unexpected(
            manifestFields.daKind.path,
            'light or external: in a cluster the local layer belongs to the sequencer network, `switchyard sequencer deployment create --data-availability local`',
            manifest.daKind,
          ),
        ]
      : [];
  return [...loopbackProblems(manifest), ...local, ...problemsAnywhere(manifest)];
}

/** Problems of a valid manifest that keep it from running as containers of one machine. */
export function problemsInContainers(manifest: Manifest): readonly Problem[] {
  return [...loopbackProblems(manifest), ...problemsOnThisMachine(manifest)];
}

/** A container's own loopback leads to nothing. */
function loopbackProblems(manifest: Manifest): Problem[] {
  const fields = manifestFields;
  const problems: Problem[] = [];
  for (const key of ['sequencerRpc', 'sequencerGrpc', 'daUrl'] as const) {
    const url = manifest[key];
    if (url !== undefined && isLoopbackHost(new URL(url).hostname))
      problems.push(unexpected(fields[key].path, 'an address that containers can reach', url));
  }
  return problems;
}

/** Problems of a valid manifest that keep it from running as processes of one machine; none if everything can. */
export function problemsOnThisMachine(manifest: Manifest): readonly Problem[] {
  const { explorerPostgresSecret: secret, daKind } = manifest;
  const { explorerPostgresSecret, daKind: kind } = manifestFields;
  return [
    ...problemsAnywhere(manifest),
    ...(secret === undefined
      ? []
      : [unexpected(explorerPostgresSecret.path, 'nothing: Secrets are of clusters', secret)]),
    ...(hasDaLight(manifest)
      ? [unexpected(kind.path, 'external or local: the light node runs in clusters alone', daKind)]
      : []),
  ];
}

function problemsAnywhere(manifest: Manifest): Problem[] {
  const fields = manifestFields;
  const problems: Problem[] = [];
  if (manifest.sequencerChainId === undefined)
    problems.push(unexpected(fields.sequencerChainId.path, 'the chain id of the sequencer', 'nothing'));
  if (manifest.explorer !== 'switchyard')
    problems.push(unexpected(fields.explorer.path, 'switchyard; Blockscout is not deployed yet', manifest.explorer));
  return problems;
}
