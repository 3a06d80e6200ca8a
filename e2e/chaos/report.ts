import { columns } from '../support/columns.ts';
import { groupBy } from './check/group.ts';
import type { Violation } from './check/observed.ts';
import { type ChaosOptions, makeCommand } from './options.ts';
import type { ChaosReport } from './run.ts';

const MAX_SHOWN = 20;

/** The report for people; the last line is the summary. */
export function reportText(options: ChaosOptions, report: ChaosReport): string {
  const { violations, missed, skipped, recoveries, resources } = report;
  const { longestSilence, perMinute } = report.availability;
  const after = new Map(resources.after.map((each) => [each.service, each]));
  const lines = [
    columns([
      ['service', 'after', 'times', 'ready again, median', 'worst'],
      ...recoveries.map(({ service, fault, count, medianMs, worstMs }) => [
        ...[service, fault, String(count), seconds(medianMs), seconds(worstMs)],
      ]),
    ]),
    '',
    columns([
      ['process', 'MiB before', 'after', 'handles before', 'after'],
      ...resources.before.map(({ service, residentMiB, handles }) => [
        ...[service, residentMiB.toFixed(0), after.get(service)?.residentMiB.toFixed(0) ?? '', String(handles)],
        String(after.get(service)?.handles ?? ''),
      ]),
    ]),
    '',
    `${report.sent} sent, ${report.kills} processes killed, longest time without an acknowledgement ${seconds(longestSilence.ms)}, from ${seconds(longestSilence.from)} on`,
    `acknowledged in each minute: ${perMinute.join(', ')}`,
    ...(report.layer === undefined
      ? []
      : [`on the layer: ${report.layer.blocks} blocks in ${report.layer.paid} transactions`]),
    ...missed.map((text) => `missed: ${text}`),
    ...skipped.map((text) => `left out: ${text}`),
    ...violations.slice(0, MAX_SHOWN).map(({ check, detail }) => `violation: ${check}: ${detail}`),
    ...(violations.length > MAX_SHOWN ? [`of ${violations.length} in all: ${getCounts(violations)}`] : []),
    ...(violations.length > 0 ? [`repeat it with: ${makeCommand(options)}`] : []),
    ...(report.files === undefined ? [] : [`logs of clients and services: ${report.files}`]),
    summaryLine(options, report),
  ];
  return lines.join('\n');
}

export function summaryLine(
  { seed, minutes }: ChaosOptions,
  { faults, acknowledged, violations }: ChaosReport,
): string {
  return `chaos: seed ${seed}, ${minutes} minutes, ${faults} faults, ${acknowledged} transactions acknowledged, ${violations.length} violations`;
}

function getCounts(violations: readonly Violation[]): string {
  return [...groupBy(violations, ({ check }) => check)].map(([check, { length }]) => `${length} ${check}`).join(', ');
}

const seconds = (ms: number): string => (Number.isFinite(ms) ? `${(ms / 1_000).toFixed(1)} s` : 'never');
