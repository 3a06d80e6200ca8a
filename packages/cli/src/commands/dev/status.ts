import { plain } from '@switchyard/protocol/hidden-characters';
import type { Cli } from '../../cli.ts';
import type { LayerHeights, RollupHeights, Withdrawals } from '../../dev/status/network.ts';
import type { InstanceStatus, ServiceReport } from '../../dev/status/status.ts';
import { columns } from '../../print.ts';
import { durationText } from '../../tui/view/time-text.ts';
import { getPaths, instanceFlag, instanceLeaf } from './options.ts';

export function statusCommand(cli: Cli) {
  return instanceLeaf(
    'status',
    'show whether an instance runs, and how its services are',
    '',
    '--instance chat --json',
  ).action(async (options) => {
    const { getStatus } = await import('../../dev/status/status.ts');
    const status = await getStatus(await getPaths(options, cli), cli.world.env);
    cli.print(status, lines(status, instanceFlag(options)));
  });
}

function lines(status: InstanceStatus, flag: string): string[] {
  const { instance, running, directory, changedFiles = [] } = status;
  if (!running) {
    return [`instance ${instance} is not running (${directory}): start it with \`switchyard dev run${flag}\``];
  }
  const { sequencerHeight: height, halt, rollup, evm, layer, withdrawals = [] } = status;
  const rollups = [
    ...(rollup === undefined || rollup.name === evm?.name ? [] : [rollup]),
    ...(evm === undefined ? [] : [evm]),
  ];
  return [
    `instance ${instance} runs network ${status.network} since ${status.since} (pid ${status.pid}, ${directory})`,
    ...(status.paused === true ? ['  all services are paused, as while a snapshot is taken'] : []),
    ...columns(status.services.map(row)),
    ...status.services.flatMap(troubleLines),
    `  ${[`sequencer block ${height ?? 'unknown'}`, ...rollups.map(rollupText), ...layerTexts(layer)].join(', ')}`,
    ...withdrawals.map((each) => `  ${plain(withdrawalsText(each))}`),
    ...(halt === undefined ? [] : [`  the sequencer makes no blocks: ${halt}`]),
    ...changedFiles.map((path) => `  edited since the start: ${path}`),
    ...(changedFiles.length === 0 ? [] : [`  read again by \`switchyard dev restart${flag}\``]),
  ];
}

/** `rollup chat block 120 (firm 118 at layer height 240)` */
function rollupText({ name = '', height, firm, layerHeight }: RollupHeights): string {
  const place = layerHeight === undefined ? '' : ` at layer height ${layerHeight}`;
  return `rollup ${name} block ${height ?? 'unknown'}${firm === undefined ? '' : ` (firm ${firm}${place})`}`;
}

/** `posted up to block 121 at layer height 242, 2 blocks behind` */
function layerTexts(layer: LayerHeights | undefined): string[] {
  const { postedHeight, height, lag } = layer ?? {};
  if (postedHeight === undefined || height === undefined) return [];
  const behind = lag === undefined ? '' : `, ${lag} ${lag === 1 ? 'block' : 'blocks'} behind`;
  return [`posted up to block ${postedHeight} at layer height ${height}${behind}`];
}

/** `withdrawals of messenger: 3 paid, 1 waiting` */
function withdrawalsText({ service, rollup = service, paid, waiting, held, missing }: Withdrawals): string {
  const counts = [`${paid} paid`, `${waiting} waiting`, ...(held === 0 ? [] : [`${held} held`])].join(', ');
  return `withdrawals of ${rollup}: ${counts}${missing === undefined ? '' : `, and the bridge account holds ${missing} less than it owes`}`;
}

function row({ name, state, pid, ports, uptimeSeconds, restarts = 0, reason, lastExit }: ServiceReport): string[] {
  const ended = lastExit === undefined || reason?.includes(lastExit) ? '' : `last ended with ${lastExit}`;
  return [
    `  ${name}`,
    state === 'not-ready' ? 'not ready' : state,
    pid === undefined ? '' : `pid ${pid}`,
    ports.length === 0 ? '' : `port ${ports.join(', ')}`,
    uptimeSeconds === undefined ? '' : `up ${durationText(uptimeSeconds * 1_000)}`,
    restarts === 0 ? '' : restarts === 1 ? '1 restart' : `${restarts} restarts`,
    plain([reason ?? '', ended].filter((text) => text !== '').join('; ')),
  ];
}

/** Last lines, and the path of the log, of a service that ended on its own and does not run again yet. */
function troubleLines({ name, state, lastExit, lastLines = [], logFile }: ServiceReport): string[] {
  if (lastExit === undefined || state === 'ready' || state === 'finished' || state === 'stopped') return [];
  return [
    `  last lines of ${name}, which ended with ${lastExit}${logFile === undefined ? '' : ` (${logFile})`}:`,
    ...lastLines.slice(-SHOWN_LINES).map((line) => `    ${plain(line)}`),
  ];
}

const SHOWN_LINES = 5;
