import { sleep } from '@switchyard/service';
import { Failure } from '@switchyard/service/failure';
import type { KubernetesObject } from '@switchyard/stack';
import type { Cli } from '../../cli.ts';
import { count } from '../../print.ts';
import { type ClusterApi, KINDS, type Kind, OURS } from './api.ts';
import { type Installed, isOurs, ofOne } from './labels.ts';
import { findInstalled, type Wanted } from './list.ts';
import type { Waiting } from './wait.ts';

/** For pods, which are given 30 s to end, and their volumes. */
const ENDING_MS = 90_000;
const LOOK_EVERY_MS = 500;

/**
 * Applies the objects of a deployment, and removes objects that only an earlier manifest described. Volumes stay.
 *
 * @param isForeign The namespace belongs to others and stays unchanged.
 */
export async function applyAll(
  api: ClusterApi,
  one: Installed,
  all: readonly KubernetesObject[],
  options: Omit<Waiting, 'deadline'> & { readonly force: boolean; readonly isForeign: boolean },
): Promise<void> {
  const { signal, note, force, isForeign } = options;
  const objects = all.filter(({ kind }) => kind !== 'Namespace' || !isForeign);
  for (const object of objects) {
    signal.throwIfAborted();
    await api.apply(object, force);
  }
  const wanted = new Set(objects.map(({ kind, metadata }) => `${kind} ${metadata?.name}`));
  const pruned = await removeAll(api, one, OURS, (kind, name) => !wanted.has(`${kind} ${name}`));
  const gone = pruned === 0 ? '' : `, ${pruned} that no longer belong removed`;
  note(`${count(objects.length, 'object')} applied in namespace ${one.namespace} of context ${api.context}${gone}`);
}

/** Removes all that is deployed, with its volumes if requested, and its namespace if it was made for that and is empty. */
export async function deleteInstalled(
  api: ClusterApi,
  cli: Cli,
  { signal, ...wanted }: Wanted,
  { volumes }: { readonly volumes: boolean },
): Promise<void> {
  const one = await findInstalled(api, wanted);
  const { family, name, namespace } = one;
  const where = { namespace, labels: ofOne(one) };
  const removed = await removeAll(api, one, OURS, () => true);
  cli.note(`${count(removed, 'object')} removed; waiting for the pods to end`);
  const deadline = performance.now() + ENDING_MS;
  const ended = async (kind: Kind) => {
    while ((await api.list(kind, where)).length > 0) {
      if (performance.now() >= deadline)
        throw new Failure(`${KINDS[kind].resource} of ${name} have not ended in time: run the same command again`);
      await sleep(LOOK_EVERY_MS, signal);
    }
  };
  await ended('Pod');
  if (volumes) {
    await removeAll(api, one, ['PersistentVolumeClaim'], () => true);
    await ended('PersistentVolumeClaim');
  }
  const claims = volumes ? [] : await api.list('PersistentVolumeClaim', where);
  const kept = claims.flatMap(({ metadata }) => metadata?.name ?? []);
  const others = await removeNamespace(api, namespace);
  cli.print({ name, namespace, removed, kept, namespaceKept: others !== undefined }, [
    `${family} ${name} deleted: ${count(removed, 'object')}${volumes ? ' and its volumes' : ''}`,
    ...(kept.length === 0
      ? []
      : [`kept: ${count(kept.length, 'volume')} (${kept.join(', ')}); remove them with --volumes`]),
    ...(others === undefined ? [`namespace ${namespace} deleted: nothing else was in it`] : [others]),
  ]);
}

/** Kinds of objects that others may have made in a namespace. */
const LIVING: readonly Kind[] = [...OURS, 'Pod', 'PersistentVolumeClaim', 'Deployment', 'Job'];
/** Objects that every namespace has. */
const ALWAYS: ReadonlySet<string> = new Set(['ServiceAccount default', 'ConfigMap kube-root-ca.crt']);

/** @returns why it was kept; undefined if it was removed. */
async function removeNamespace(api: ClusterApi, namespace: string): Promise<string | undefined> {
  const found = await api.read('Namespace', namespace);
  if (found === undefined) return undefined;
  if (!isOurs(found)) return `namespace ${namespace} kept: it was there before`;
  const hidden = LIVING.map(async (kind) =>
    (await api.mayI({ verb: 'list', kind, namespace })) ? [] : [KINDS[kind].resource],
  );
  const [unseen] = (await Promise.all(hidden)).flat();
  if (unseen !== undefined)
    return `namespace ${namespace} kept: context ${api.context} may not list its ${unseen}, which others may have there`;
  const lists = LIVING.map(async (kind) => {
    const objects = await api.list(kind, { namespace });
    return objects.map(({ metadata }) => `${kind} ${metadata?.name}`).filter((each) => !ALWAYS.has(each));
  });
  const others = (await Promise.all(lists)).flat();
  if (others.length > 0) {
    const rest = others.length > 3 ? `, and ${others.length - 3} more` : '';
    return `namespace ${namespace} kept: it has ${others.slice(0, 3).join(', ')}${rest}`;
  }
  await api.remove('Namespace', namespace);
  return undefined;
}

async function removeAll(
  api: ClusterApi,
  one: Installed,
  kinds: readonly Kind[],
  isRemoved: (kind: Kind, name: string) => boolean,
): Promise<number> {
  const { namespace } = one;
  let removed = 0;
  for (const kind of kinds) {
    for (const { metadata } of await api.list(kind, { namespace, labels: ofOne(one) })) {
      const { name } = metadata ?? {};
      if (name === undefined || !isRemoved(kind, name)) continue;
      await api.remove(kind, name, namespace);
      removed += 1;
    }
  }
  return removed;
}
