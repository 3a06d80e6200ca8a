import { evmGenesisFile } from '@switchyard/evm/client';
import { InvalidData, isLoopbackHost, type Problem, unexpected } from '@switchyard/service/input';
import { PLACES } from '../container.ts';
import { digestOf } from '../kubernetes/digest.ts';
import { configMap, inOrder, type KubernetesObject, ownerObjects, secretObject } from '../kubernetes/objects.ts';
import { podObjects } from '../kubernetes/pods.ts';
import { type Manifest, manifestFields } from '../manifest/fields.ts';
import { type Part, serviceName } from '../names.ts';
import type { Process } from '../programs.ts';
import { type DaLightAccess, daLightAccess, daLightObjects } from './da-light.ts';
import { daToken, hasDaLight } from './da-light-endpoint.ts';
import { ownerOf, partMetadata, type Workload } from './metadata.ts';
import { ingress, policyOf, service } from './network.ts';
import { CONTAINERS, containerOf, KEY_PARTS, settingsPart, volumesOf } from './pods.ts';
import { settingsOf } from './settings.ts';

/** Texts of the key files: 64 hex digits, or what stands for them where they are not to be shown. */
export interface Keys {
  /** Key of the account on the sequencer that pays for bundles. */
  readonly sequencer: string;
  /** Key of the account on the rollup that the faucet gives from. */
  readonly faucet: string;
  /** Key of the account that may pay out of the bridge account, where the manifest has a withdrawer. */
  readonly withdrawer?: string;
  /** Token of a data-availability node that runs elsewhere and asks for one. */
  readonly daToken?: string;
  /** Access to the light node; made from the sequencer's key where it is not given. */
  readonly daLight?: DaLightAccess;
}

export interface Insisted {
  /** Processes run with a key that everybody has. */
  readonly allowDevKey?: boolean;
}

export function workloadsIn(manifest: Manifest): readonly Workload[] {
  const all = ['evm', 'withdrawer', 'faucet', 'explorer'] as const;
  return all.filter((workload) => hasProcess(manifest, workload));
}

/** Whether a rollup has a process; most have every one. */
export function hasProcess({ faucetEnabled, withdrawerEnabled }: Manifest, process: Process): boolean {
  if (process === 'faucet') return faucetEnabled;
  return process !== 'withdrawer' || withdrawerEnabled;
}

/**
 * All objects of a rollup, in the order in which they are applied.
 *
 * @throws {InvalidData} where the manifest describes what no cluster can run.
 */
export function workloadsOf(manifest: Manifest, keys: Keys, insisted: Insisted = {}): readonly KubernetesObject[] {
  const problems = problemsOnClusters(manifest);
  if (problems.length > 0) throw new InvalidData(problems);
  const workloads = workloadsIn(manifest);
  return inOrder([
    ...ownerObjects(ownerOf(manifest)),
    ...workloads.flatMap((workload) => workloadObjects(manifest, workload, keys, insisted)),
    ingress(manifest, workloads),
    ...daLightObjects(manifest, () => keys.daLight ?? daLightAccess(manifest, keys.sequencer)),
  ]);
}

function workloadObjects(manifest: Manifest, workload: Workload, keys: Keys, insisted: Insisted) {
  const { name, storageSize, storageClassName: className, explorerPostgresSecret } = manifest;
  const processes = CONTAINERS[workload];
  const { secrets, configMaps } = filesOf(manifest, workload, keys, insisted);
  const isElsewhere = workload === 'explorer' && explorerPostgresSecret !== undefined;
  // Both keep a line for each payment.
  const size = workload === 'faucet' || workload === 'withdrawer' ? '256Mi' : storageSize;
  return podObjects({
    ...{ metadata: partMetadata(manifest, workload, workload), owner: name, workload },
    ...{ reads: [...secrets, ...configMaps], digest: digestOf({ secrets, configMaps }) },
    ...{ services: [service(manifest, workload)], serviceName: serviceName(name, workload) },
    policy: policyOf(manifest, workload),
    containers: processes.map((process) => containerOf(manifest, process)),
    volumes: processes.flatMap((process) => volumesOf(manifest, process)),
    ...(isElsewhere ? {} : { storage: { size, className, genesis: genesisDigest(manifest) } }),
  });
}

/** Files and settings that the pods of a workload read when they start. */
function filesOf(manifest: Manifest, workload: Workload, keys: Keys, insisted: Insisted) {
  const keyOf: Readonly<Partial<Record<Process, string | undefined>>> = {
    ...{ composer: keys.sequencer, faucet: keys.faucet, withdrawer: keys.withdrawer },
  };
  const metadata = (part: Part) => partMetadata(manifest, part, workload);
  const secrets = CONTAINERS[workload].flatMap((process) => {
    const [part, key] = [KEY_PARTS[process], keyOf[process]];
    return part === undefined || key === undefined ? [] : [secretObject(metadata(part), { [PLACES.keyFile]: key })];
  });
  const token = workload === 'evm' && manifest.daKind === 'external' ? daToken(manifest) : undefined;
  if (token !== undefined) {
    const text = keys.daToken ?? missing(manifestFields.daHasToken.path);
    secrets.push(secretObject(metadata('da-token'), { [token.tokenKey]: text }));
  }
  const genesis =
    workload === 'evm' ? [configMap(metadata('genesis'), { [PLACES.genesisFile]: genesisText(manifest) })] : [];
  const settings = CONTAINERS[workload].map((process) =>
    configMap(metadata(settingsPart(process)), { ...settingsOf(process, manifest, insisted) }),
  );
  return { secrets, configMaps: [...genesis, ...settings] };
}

function missing(path: string): never {
  throw new Error(`a token is needed for the data-availability node, since ${path} is true`);
}

/** The first block and the rules of the chain, as the node and stock clients read them. */
export function genesisText(manifest: Manifest): string {
  return genesisWith(manifest, manifest);
}

function genesisWith(manifest: Manifest, times: Pick<Manifest, 'pragueTime' | 'osakaTime' | 'amsterdamTime'>): string {
  const { pragueTime, osakaTime, amsterdamTime } = times;
  const { bridgeAddress: address, bridgeAsset: asset, bridgePrecision: precision, bridgeMinimum: minimum } = manifest;
  return evmGenesisFile({
    rollupName: manifest.chainId,
    sequencerChainId: manifest.sequencerChainId ?? '',
    startHeight: Number(manifest.sequencerHeight),
    chainId: manifest.networkId,
    addressPrefix: manifest.sequencerAddressPrefix,
    bridges: address === undefined ? [] : [{ address, asset, precision, minimum }],
    withdrawer: manifest.bridgeWithdrawer,
    forks: {
      ...(pragueTime !== undefined && { prague: Number(pragueTime) }),
      ...(osakaTime !== undefined && { osaka: Number(osakaTime) }),
      ...(amsterdamTime !== undefined && { amsterdam: Number(amsterdamTime) }),
    },
    balances: new Map(manifest.genesisAccounts.map(({ address: owner, balance }) => [owner, balance])),
  });
}

/** Digest of the genesis. Another one has another, unless it only plans forks for later, which the nodes check. */
export function genesisDigest(manifest: Manifest): string {
  const fromTheFirst = (time: bigint | undefined) => (time === 0n ? time : undefined);
  const { pragueTime, osakaTime, amsterdamTime } = manifest;
  return digestOf(
    genesisWith(manifest, {
      pragueTime: fromTheFirst(pragueTime),
      osakaTime: fromTheFirst(osakaTime),
      amsterdamTime: fromTheFirst(amsterdamTime),
    }),
  );
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

/** Problems of a valid manifest that keep it from running as processes of one machine; none where everything can. */
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
  if (manifest.executionBackend !== 'embedded')
    problems.push(
      unexpected(
        fields.executionBackend.path,
        'embedded; a geth beside it is not deployed yet',
        manifest.executionBackend,
      ),
    );
  if (manifest.explorer !== 'switchyard')
    problems.push(unexpected(fields.explorer.path, 'switchyard; Blockscout is not deployed yet', manifest.explorer));
  return problems;
}
