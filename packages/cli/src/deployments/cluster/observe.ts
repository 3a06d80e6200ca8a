import { Failure } from '../../failure.ts';
import { plain } from '../../print.ts';
import type { ClusterApi } from './api.ts';
import { type Installed, ofOne, WORKLOAD } from './labels.ts';
import { type WorkloadState, workloadState } from './workload-state.ts';

export type Observed = ReadonlyMap<string, WorkloadState>;

/** How the workloads of a deployment are now. @param workloads Names that it should have; else those that it has. */
export async function observe(api: ClusterApi, one: Installed, workloads?: readonly string[]): Promise<Observed> {
  const where = { namespace: one.namespace, labels: ofOne(one) };
  const [sets, pods] = await Promise.all([api.list('StatefulSet', where), api.list('Pod', where)]);
  const workloadOf = ({ metadata }: (typeof sets)[number] | (typeof pods)[number]) =>
    metadata?.labels?.[WORKLOAD] ?? '';
  const names = workloads ?? sets.map(workloadOf);
  const states = names.map(async (workload) => {
    const set = sets.find((each) => workloadOf(each) === workload);
    const own = pods.filter((each) => workloadOf(each) === workload);
    const name = set?.metadata?.name;
    const asked = name !== undefined && own.length === 0;
    const warnings = asked ? await readable(() => api.warnings('StatefulSet', name, one.namespace)) : [];
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

/** Reads details of a reason; empty where they may not be read, or are gone by now. */
async function readable(read: () => Promise<readonly string[]>): Promise<readonly string[]> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Failure && error.cause !== undefined) return [];
    throw error;
  }
}
