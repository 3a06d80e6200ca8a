import { plain } from '@switchyard/protocol/hidden-characters';
import { sleep } from '@switchyard/service';
import { Failure } from '@switchyard/service/failure';
import type { Cli } from '../../cli.ts';
import type { ClusterApi } from './api.ts';
import { daLightProgress } from './da-light.ts';
import type { Installed } from './labels.ts';
import { lastLines, observe } from './observe.ts';

const LOOK_EVERY_MS = 300;

export interface Waiting {
  /** On the clock of `performance.now()`. */
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly note: Cli['note'];
}

/** Answer of a look at the awaited state: a value ends the wait, a text is why it continues. */
export type Look<T> = { readonly done: T } | { readonly waiting: string };

/**
 * Looks again and again until it is done. Reasons are noted when they change.
 *
 * @throws {Failure} with the last reason and advice when the time is over.
 */
export async function waitUntil<T>(
  look: () => Promise<Look<T>>,
  { deadline, signal, note }: Waiting,
  advice = 'run the same command again to continue',
): Promise<T> {
  let shown = '';
  for (;;) {
    const found = await look();
    if ('done' in found) return found.done;
    if (performance.now() >= deadline) throw new Failure(`${found.waiting}\n${advice}`);
    if (found.waiting !== shown) note(found.waiting);
    shown = found.waiting;
    await sleep(LOOK_EVERY_MS, signal);
  }
}

/** Waits until all workloads are ready. Changes are noted. @throws {Failure} naming the workloads that are not ready when the time is over. */
export async function waitUntilReady(
  api: ClusterApi,
  one: Installed,
  workloads: readonly string[],
  { deadline, signal, note }: Waiting,
): Promise<void> {
  const shown = new Map<string, string>();
  const withHead = daLightProgress(api, one);
  for (;;) {
    const states = [...(await observe(api, one, workloads))];
    for (const [workload, state] of states) {
      const { isReady, stuckPod } = state;
      const { note: reason } = await withHead({ name: workload, isReady, note: state.note });
      const line = `${workload}: ${isReady ? 'ready' : plain(reason)}`;
      if (shown.get(workload) === line) continue;
      shown.set(workload, line);
      const crashed = { ...state, telling: state.telling.filter(({ hasCrashed }) => hasCrashed) };
      for (const each of [line, ...(await lastLines(api, one.namespace, crashed))]) note(each);
      if (stuckPod !== undefined) await api.remove('Pod', stuckPod, one.namespace);
    }
    const unready = states.filter(([, { isReady }]) => !isReady);
    if (unready.length === 0) return;
    if (performance.now() >= deadline) {
      const lines = unready.map(async ([workload, state]) => [
        `${workload} is not ready in time: ${plain(state.note)}`,
        ...(await lastLines(api, one.namespace, state)),
      ]);
      const all = (await Promise.all(lines)).flat();
      throw new Failure([...all, 'run the same command again to continue'].join('\n'));
    }
    await sleep(LOOK_EVERY_MS, signal);
  }
}
