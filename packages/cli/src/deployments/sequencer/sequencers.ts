import { plain } from '@switchyard/protocol/hidden-characters';
import { wallClock } from '@switchyard/service';
import { Failure } from '@switchyard/service/failure';
import {
  GENESIS_ANNOTATION,
  HEIGHT_COMMAND,
  LAYER_PORTS,
  LOCAL_LAYER_PART,
  localLayerUrl,
  partName,
  RELAYER,
  relayerUrl,
  SEQUENCER,
  type SequencerNetwork,
  sequencerClaim,
  sequencerGenesisDigest,
  sequencerHost,
  sequencerObjects,
  sequencerPod,
  sequencerUrls,
} from '@switchyard/stack';
import { LOCAL_LAYER } from '@switchyard/stack/programs';
import type { Cli } from '../../cli.ts';
import { relayerAccountOfKey } from '../../dev/config/relayer-key.ts';
import { deploymentSignal } from '../../stop-signal.ts';
import type { ClusterApi } from '../cluster/api.ts';
import { connectCluster } from '../cluster/connect.ts';
import { applyAll, deleteInstalled } from '../cluster/delete.ts';
import { networkHalt, networkHeights } from '../cluster/heights.ts';
import type { ClusterChoice } from '../cluster/kubeconfig.ts';
import type { Installed } from '../cluster/labels.ts';
import { findInstalled, installedIn } from '../cluster/list.ts';
import { showLogs } from '../cluster/logs.ts';
import { observe } from '../cluster/observe.ts';
import { accessFindings } from '../cluster/preflight/access.ts';
import { ingressFindings, nameFindings, namespaceFindings, storageFindings } from '../cluster/preflight/cluster.ts';
import { type Waiting, waitUntil, waitUntilReady } from '../cluster/wait.ts';
import { statusCommand } from '../heights.ts';
import { type Finding, refused, sorted } from '../preflight/finding.ts';
import { relayerFindings } from '../preflight/layer.ts';
import type { LogsOptions, Status } from '../target.ts';
import { type TrustedBlock, trustedBlock } from './layer.ts';

/** A block that carries the signatures of the one before it. */
const FIRST_PROVEN = 2;

export interface SequencerCreate {
  readonly network: SequencerNetwork;
  readonly force: boolean;
  readonly timeoutMs: number;
}

export type SequencerDeployed = Awaited<ReturnType<Sequencers['create']>>;

/** Layer that the relayer of a network posts to. */
export interface DeployedLayer {
  readonly chainId: string;
  /** Account of the relayer, `celestia1...`. */
  readonly account: string;
  /** Address for explorers' queries of posted blocks. */
  readonly relayerUrl: string;
  /** Local layer only: its address for conductors, and a block of it from which they prove the rest. */
  readonly url?: string;
  readonly trusted?: TrustedBlock;
}

/** Sequencer networks in a cluster. */
export type Sequencers = Readonly<ReturnType<typeof sequencersIn>>;

/** @param namespace The namespace to search for networks; else all. */
export function sequencersIn(cli: Cli, choice: ClusterChoice, namespace: string | undefined) {
  const signal = deploymentSignal(cli);
  const api = connectCluster(choice, cli.world, signal);
  const wanted = (name: string) => ({ family: 'sequencer', name, namespace, signal }) as const;

  return {
    /**
     * Checks everything before anything is changed, then installs, repairs or upgrades. Returns once blocks are made.
     *
     * @throws {Failure} naming all refusals, or the parts that are not ready and why; run again, it continues.
     */
    async create({ network, force, timeoutMs }: SequencerCreate) {
      const deadline = performance.now() + timeoutMs;
      const one: Installed = { family: 'sequencer', name: network.name, namespace: network.namespace };
      const { isForeign, refusals, notes } = await preflight(api, one, network, force);
      for (const note of notes) cli.note(note);
      if (refusals.length > 0) throw new Failure(refusals.join('\n'));
      const waiting = { deadline, signal, note: cli.note };
      await applyAll(api, one, sequencerObjects(network), { ...waiting, force, isForeign });
      await waitUntilReady(api, one, [SEQUENCER], waiting);
      const { name, namespace: where } = one;
      const height = await waitForBlocks(api, one, waiting);
      // The last, since they need the network, and it does not need them.
      await waitUntilReady(api, one, layerParts(network), waiting);
      const layer = await findLayer(api, network);
      return { name, namespace: where, ...sequencerUrls(network), height, layer };
    },
    async list() {
      const all = await installedIn(api, 'sequencer', namespace);
      const statuses = await Promise.all(all.map((one) => getStatus(api, one)));
      return statuses.map(({ parts: _, heights: __, ...listed }) => listed);
    },
    async status(name: string) {
      const one = await findInstalled(api, wanted(name));
      const [status, halt] = await Promise.all([getStatus(api, one), networkHalt(api, one)]);
      return halt === undefined ? status : { ...status, heights: { ...status.heights, halt } };
    },
    logs: (name: string, options: LogsOptions) => showLogs(api, cli, wanted(name), options),
    delete: (name: string, options: { readonly volumes: boolean }) => deleteInstalled(api, cli, wanted(name), options),
  };
}

async function preflight(api: ClusterApi, one: Installed, network: SequencerNetwork, force: boolean) {
  // Whether it produces blocks is checked in a pod.
  const exec = { verb: 'create', kind: 'Pod', subresource: 'exec', namespace: one.namespace } as const;
  const access = await accessFindings(api, one.namespace, [exec]);
  if (access.some(({ severity }) => severity === 'refused')) return { ...sorted(access, force), isForeign: false };
  const { ingressClassName, storageClassName } = network;
  const ingress = { ingressClassName, hosts: [sequencerHost(network)] };
  const settings = { className: '--ingress-class', hostname: '--hostname' };
  const [namespace, ...others] = await Promise.all([
    namespaceFindings(api, one, '--namespace'),
    nameFindings(api, one, sequencerObjects(network)),
    chainFindings(api, network),
    ingressFindings(api, one, ingress, settings),
    storageFindings(api, { storageClassName }, '--storage-class'),
    relayerFindings(network.relayer),
  ]);
  const findings = [...access, ...namespace.findings, ...others.flat()];
  return { ...sorted(findings, force), isForeign: namespace.isForeign };
}

/** A volume with the blocks of another chain: its node would refuse to start. */
async function chainFindings(api: ClusterApi, network: SequencerNetwork): Promise<Finding[]> {
  const { name, namespace } = network;
  const claim = await api.read('PersistentVolumeClaim', sequencerClaim(name, 0), namespace);
  const digest = claim?.metadata?.annotations?.[GENESIS_ANNOTATION];
  if (digest === undefined || digest === sequencerGenesisDigest(network)) return [];
  return [
    refused(
      `sequencer ${name} is in namespace ${namespace} with another genesis: name the directory that it was made with (--files), give the new network another --name, or delete the old chain with \`switchyard sequencer deployment delete ${name} --volumes\``,
    ),
  ];
}

async function getStatus(api: ClusterApi, one: Installed): Promise<Omit<Status, 'urls'>> {
  const states = await observe(api, one);
  const parts = [...states].map(([part, { isReady, note }]) => ({ name: part, isReady, note }));
  const isReady = parts.length > 0 && parts.every((part) => part.isReady);
  const [head, withHeights] = await Promise.all([getHeight(api, one), networkHeights(api, one, parts)]);
  return {
    ...{ name: one.name, where: one.namespace, state: isReady ? 'ready' : 'not ready', ...withHeights },
    ...(typeof head === 'number' ? { head } : {}),
  };
}

/** Waits for a first block that is proven. @returns its height, or a later one. */
const waitForBlocks = (api: ClusterApi, one: Installed, waiting: Waiting): Promise<number> =>
  waitUntil(async () => {
    const height = await getHeight(api, one);
    if (typeof height === 'string') return { waiting: `no block yet: ${height}` };
    return height < FIRST_PROVEN ? { waiting: `block ${height} is the newest` } : { done: height };
  }, waiting);

/** Asked in a pod, since the network need not be reachable from here. @returns else why it is not known. */
async function getHeight(api: ClusterApi, { name, namespace }: Installed): Promise<number | string> {
  try {
    const container = { namespace, pod: sequencerPod(name, 0), container: SEQUENCER };
    const printed = await api.run(container, HEIGHT_COMMAND);
    const [, digits] = /"blockheight"\s*:\s*(\d{1,15})/.exec(printed) ?? [];
    return digits === undefined ? plain(printed.slice(0, 200)) : Number(digits);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.message;
  }
}

function layerParts({ relayer }: SequencerNetwork): readonly string[] {
  if (relayer === undefined) return [];
  return relayer.layer.kind === 'local' ? [LOCAL_LAYER_PART, RELAYER] : [RELAYER];
}

/** Facts about the layer that a rollup needs. @throws {Failure} if the local layer is unreachable. */
async function findLayer(api: ClusterApi, network: SequencerNetwork): Promise<DeployedLayer | undefined> {
  const { relayer, name, namespace } = network;
  if (relayer === undefined) return undefined;
  const { layer } = relayer;
  if (layer.kind === 'celestia')
    return {
      ...{ chainId: layer.chainId, account: relayerAccountOfKey(relayer.key) ?? 'an unknown account' },
      relayerUrl: relayerUrl(network),
    };
  const container = { namespace, pod: `${partName(name, LOCAL_LAYER_PART)}-0`, container: LOCAL_LAYER_PART };
  const printed = await api.run(container, statusCommand(LAYER_PORTS.da.rpc));
  const trusted = trustedBlock(printed, wallClock.unixMs());
  if (trusted === undefined)
    throw new Failure(`the local layer does not name its blocks: ${plain(printed.slice(0, 200))}`);
  return {
    chainId: LOCAL_LAYER,
    account: layer.account,
    relayerUrl: relayerUrl(network),
    url: localLayerUrl(network),
    trusted,
  };
}
