import type { Cluster } from './cluster.ts';

/** For the error of a scenario: the pods of a namespace, their warnings, and the end of some of their logs, before their last start too. */
export async function lastOutput(cluster: Cluster, namespace: string, pods: readonly string[]): Promise<string> {
  const commands = [
    ['get', 'pods', '-o', 'wide'],
    ['get', 'events', '--field-selector', 'type=Warning', '--sort-by=.lastTimestamp'],
    ...pods.flatMap((pod) => [
      ['logs', pod, '--previous', '--tail=30'],
      ['logs', pod, '--tail=60'],
    ]),
  ];
  const printed = commands.map(async (args) => {
    const text = await cluster.kubectl('--namespace', namespace, ...args).catch((error: unknown) => String(error));
    return `--- kubectl ${args.join(' ')}\n${text.slice(-8_000)}`;
  });
  return (await Promise.all(printed)).join('\n');
}
