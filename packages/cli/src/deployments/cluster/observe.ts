import type { V1ContainerStatus, V1Pod, V1StatefulSet } from '@kubernetes/client-node';
import { plain } from '@switchyard/protocol/hidden-characters';
import { Failure } from '@switchyard/service/failure';
import { count } from '../../print.ts';
import type { ClusterApi } from './api.ts';
import { type Installed, ofOne, WORKLOAD } from './labels.ts';

type Observed = ReadonlyMap<string, WorkloadState>;

/** The present state of the workloads of a deployment. @param workloads Their expected names; else all. */
export async function observe(api: ClusterApi, one: Installed, workloads?: readonly string[]): Promise<Observed> {
  const where = { namespace: one.namespace, labels: ofOne(one) };
  const [sets, pods] = await Promise.all([api.list('StatefulSet', where), api.list('Pod', where)]);
  const getWorkload = ({ metadata }: (typeof sets)[number] | (typeof pods)[number]) =>
    metadata?.labels?.[WORKLOAD] ?? '';
  const names = workloads ?? sets.map(getWorkload);
  const states = names.map(async (workload) => {
    const set = sets.find((each) => getWorkload(each) === workload);
    const own = pods.filter((each) => getWorkload(each) === workload);
    const name = set?.metadata?.name;
    const wanted = name !== undefined && own.length === 0;
    const warnings = wanted ? await readable(() => api.warnings('StatefulSet', name, one.namespace)) : [];
    return [workload, workloadState(set, own, warnings)] as const;
  });
  return new Map(await Promise.all(states));
}

const LINES = 5;
const LONGEST_LINE = 300;

/** The last lines of the containers that are not ready, for a person. */
export async function lastLines(api: ClusterApi, namespace: string, { telling }: WorkloadState): Promise<string[]> {
  const read = telling.map(async ({ pod, container, hasCrashed }) => {
    const lines = await readable(async () => {
      const text = await api.logs({ namespace, pod, container }, { lines: LINES, previous: hasCrashed });
      return text.split('\n').filter((line) => line.trim() !== '');
    });
    return lines.slice(-LINES).map((line) => `  ${container} | ${plain(line).slice(0, LONGEST_LINE)}`);
  });
  return (await Promise.all(read)).flat();
}

/** Reads details of a reason; empty if they may not be read, or are gone by now. */
async function readable(read: () => Promise<readonly string[]>): Promise<readonly string[]> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Failure && error.cause !== undefined) return [];
    throw error;
  }
}

/** The state of a workload, by the report of the cluster. */
interface WorkloadState {
  readonly isReady: boolean;
  /** Why not; of a ready one, its pod. */
  readonly note: string;
  /** Containers whose log tells why it is not ready. */
  readonly telling: readonly TellingContainer[];
  /** A pod of an earlier revision that is not ready: the controller waits for it before it replaces it. */
  readonly stuckPod?: string;
}

interface TellingContainer {
  readonly pod: string;
  readonly container: string;
  /** Its last run has ended. */
  readonly hasCrashed: boolean;
}

/**
 * @param pods Pods of this workload.
 * @param warnings About the StatefulSet: why it has no pod.
 */
export function workloadState(
  set: V1StatefulSet | undefined,
  pods: readonly V1Pod[],
  warnings: readonly string[],
): WorkloadState {
  if (set === undefined) return waiting('not applied');
  const wanted = set.spec?.replicas ?? 1;
  if (pods.length === 0) return waiting(warnings.length === 0 ? 'no pod yet' : `no pod: ${warnings.at(-1)}`);
  const states = pods.map((pod) => podState(set, pod));
  const unready = states.filter(({ isReady }) => !isReady);
  const [first] = unready;
  if (first === undefined && pods.length >= wanted) return wanted === 1 ? only(states) : ready(`${wanted} pods`);
  const note = first?.note ?? 'pods are missing';
  const telling = unready.flatMap((each) => each.telling);
  const stuck = unready.find(({ stuckPod }) => stuckPod !== undefined);
  return waiting(wanted === 1 ? note : `${states.length - unready.length} of ${wanted} pods, ${note}`, {
    ...{ telling },
    ...(stuck?.stuckPod === undefined ? {} : { stuckPod: stuck.stuckPod }),
  });
}

const ready = (note: string): WorkloadState => ({ isReady: true, note, telling: [] });

/** The state of a workload that is to have one pod. */
const only = ([state]: readonly WorkloadState[]): WorkloadState => state ?? ready('');

function podState(set: V1StatefulSet, pod: V1Pod): WorkloadState {
  const name = pod.metadata?.name ?? '';
  if (pod.metadata?.deletionTimestamp !== undefined) return waiting('the pod before it is ending');
  const isReady = getCondition(pod, 'Ready')?.status === 'True';
  const { status, metadata } = set;
  const isObserved = (status?.observedGeneration ?? 0) >= (metadata?.generation ?? 0);
  const isCurrent = isObserved && pod.metadata?.labels?.['controller-revision-hash'] === status?.updateRevision;
  if (isReady && isCurrent) return ready(`pod ${name}`);
  const stuck = isObserved && !isCurrent && !isReady ? { stuckPod: name } : {};
  if (isReady) return waiting('the pod is to be replaced');
  return waiting(podReason(pod), { telling: tellingIn(pod, name), ...stuck });
}

const waiting = (note: string, more: Partial<WorkloadState> = {}): WorkloadState => ({
  ...{ isReady: false, note, telling: [] },
  ...more,
});

/** Why a pod is not ready. */
export function podReason(pod: V1Pod): string {
  const { status } = pod;
  const scheduled = getCondition(pod, 'PodScheduled');
  if (scheduled?.status === 'False') return `pending: ${scheduled.message ?? scheduled.reason ?? 'not scheduled'}`;
  if (status?.phase === 'Failed') return `failed: ${[status.reason, status.message].filter(Boolean).join(': ')}`;
  const reasons = getContainers(pod).flatMap((container) => containerReason(container) ?? []);
  if (reasons.length > 0) return reasons.join('; ');
  return isRunning(pod) ? 'running, and not ready yet' : 'starting';
}

function containerReason({
  name,
  ready,
  started,
  state,
  lastState,
  restartCount,
}: V1ContainerStatus): string | undefined {
  if (ready) return undefined;
  const { waiting, terminated } = state ?? {};
  const ended = terminated ?? lastState?.terminated;
  const before = ended === undefined ? '' : `, ${endText(ended)}`;
  const restarts = restartCount > 0 ? `, ${count(restartCount, 'restart')}` : '';
  if (waiting !== undefined) {
    if (waiting.reason === 'ContainerCreating' || waiting.reason === 'PodInitializing') return undefined;
    // The kubelet's text of a crash has only the time until the next start.
    const text = waiting.reason === 'CrashLoopBackOff' ? `${before}${restarts}` : `: ${waiting.message ?? ''}`;
    return `${name} ${waiting.reason}${text}`;
  }
  if (terminated !== undefined) return `${name} ${endText(terminated)}${restarts}`;
  return `${name} ${started ? 'is not ready' : 'is starting'}${before}${restarts}`;
}

function endText({ exitCode, reason, signal }: { exitCode: number; reason?: string; signal?: number }): string {
  const how = signal === undefined || signal === 0 ? `status ${exitCode}` : `signal ${signal}`;
  return reason === 'OOMKilled' ? 'killed for its memory (see resources in the manifest)' : `ended with ${how}`;
}

function tellingIn(pod: V1Pod, name: string): TellingContainer[] {
  return getContainers(pod)
    .filter(({ ready, state, lastState }) => !ready && (state?.running ?? state?.terminated ?? lastState?.terminated))
    .map(({ name: container, state }) => ({ pod: name, container, hasCrashed: state?.waiting !== undefined }));
}

/** Init containers are only of interest while they have not ended well. */
const getContainers = ({ status }: V1Pod) => [
  ...(status?.initContainerStatuses ?? []).filter(({ state }) => state?.terminated?.exitCode !== 0),
  ...(status?.containerStatuses ?? []),
];
const isRunning = (pod: V1Pod) =>
  getContainers(pod).length > 0 && getContainers(pod).every(({ state }) => state?.running !== undefined);
const getCondition = ({ status }: V1Pod, type: string) => status?.conditions?.find((each) => each.type === type);
