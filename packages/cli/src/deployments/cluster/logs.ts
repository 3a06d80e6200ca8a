import { plain } from '@switchyard/protocol/hidden-characters';
import { Failure } from '@switchyard/service/failure';
import type { Cli } from '../../cli.ts';
import type { LogsOptions } from '../target.ts';
import type { ClusterApi, ContainerRef } from './api.ts';
import { ofOne } from './labels.ts';
import { findInstalled, type Wanted } from './list.ts';

/** Writes the logs of a rollup's containers, each line with its name if there are several. */
export async function showLogs(
  api: ClusterApi,
  { world }: Cli,
  { signal, ...wanted }: Wanted,
  { part, follow, lines }: LogsOptions,
): Promise<void> {
  const one = await findInstalled(api, wanted);
  const { family, name, namespace } = one;
  const pods = await api.list('Pod', { namespace, labels: ofOne(one) });
  const all = pods.flatMap(({ metadata, spec }) =>
    (spec?.containers ?? []).map((container): ContainerRef => {
      return { namespace, pod: metadata?.name ?? '', container: container.name };
    }),
  );
  const chosen = all.filter(({ container }) => part === undefined || container === part);
  if (chosen.length === 0) {
    const names = [...new Set(all.map(({ container }) => container))].join(', ');
    const there = names === '' ? `see \`switchyard ${family} deployment status\`` : `it has ${names}`;
    throw new Failure(`${family} ${name} has no ${part === undefined ? 'pods' : `process ${part}`}; ${there}`);
  }
  // Rollups have one pod for each process.
  const getName = ({ pod, container }: ContainerRef) => (family === 'rollup' ? container : `${pod} ${container}`);
  const width = Math.max(...chosen.map((each) => getName(each).length));
  const writer = (item: ContainerRef) => {
    const prefix = chosen.length === 1 ? '' : `${getName(item).padEnd(width)} | `;
    let rest = '';
    return (text: string, isEnd = false) => {
      const parts = `${rest}${text}`.split('\n');
      rest = isEnd ? '' : (parts.pop() ?? '');
      for (const line of parts) if (!isEnd || line !== '') world.stdout.write(`${prefix}${plain(line)}\n`);
    };
  };
  const show = async (container: ContainerRef) => {
    const write = writer(container);
    if (follow) await api.follow(container, lines, write).catch(unless(signal));
    else write(await api.logs(container, { lines }));
    write('', true);
  };
  if (follow) await Promise.all(chosen.map(show));
  else for (const container of chosen) await show(container);
}

/** A reader who follows a log interrupts it some time. */
const unless = (signal: AbortSignal) => (error: unknown) => {
  if (!signal.aborted) throw error;
};
