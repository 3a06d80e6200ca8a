import type { Command } from 'commander';
import { type Cli, leaf } from '../../cli.ts';
import type { InstanceStatus } from '../../dev/status.ts';
import { columns } from '../../print.ts';
import { type InstanceOptions, instanceFlag, pathsOf, withInstance } from './options.ts';

/** `switchyard dev status` */
export function statusCommand(cli: Cli): Command {
  return withInstance(leaf('status', 'show whether an instance runs, and how its services are')).action(
    async (options: InstanceOptions) => {
      const { statusOf } = await import('../../dev/status.ts');
      const status = await statusOf(await pathsOf(options, cli), cli.world.env);
      cli.print(status, lines(status, `switchyard dev run${instanceFlag(options)}`));
    },
  );
}

function lines(status: InstanceStatus, start: string): string[] {
  const { instance, running, directory } = status;
  if (!running) return [`instance ${instance} is not running (${directory}): start it with \`${start}\``];
  const { sequencerHeight: height, rollup } = status;
  return [
    `instance ${instance} runs network ${status.network} since ${status.since} (pid ${status.pid}, ${directory})`,
    ...columns(
      status.services.map(({ name, state, pid, ports, reason }) => [
        `  ${name}`,
        state === 'not-ready' ? `not ready: ${reason}` : state,
        pid === undefined ? '' : `pid ${pid}`,
        ports.length === 0 ? '' : `port ${ports.join(', ')}`,
      ]),
    ),
    `  sequencer block ${height ?? 'unknown'}, rollup ${rollup?.name ?? ''} block ${rollup?.height ?? 'unknown'}`,
  ];
}
