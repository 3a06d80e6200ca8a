import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { numberIn } from '../chaos/options.ts';
import { columns } from '../support/columns.ts';
import type { FloodKind } from './attack.ts';
import { KINDS } from './kinds.ts';
import { type FloodReport, runFloods } from './run.ts';
import { MAX_RATIO, MAX_RECOVERY_MS, type Spread } from './verdict.ts';

const HELP = `usage: npm run flood -- [options]

Runs a network of its own on this machine, floods one of its ports after another from a process of its own, and times what
honest users get before, during and after. Exits with status 1 where their 99th percentile was more than ${MAX_RATIO} times that of
the quiet before, or where they were not served as before within ${MAX_RECOVERY_MS / 1_000} s of the end.

  --kinds LIST    comma-separated (default: all ${KINDS.length})
  --seconds N     length of each flood (default 10)
  --json          the report as one JSON value on stdout; progress goes to stderr

${columns(KINDS.map(({ name, service, what }) => ['', name, service, what]))}`;

function chosen(text: string | undefined): readonly FloodKind[] {
  if (text === undefined) return KINDS;
  return text.split(',').map((name) => {
    const kind = KINDS.find((each) => each.name === name);
    if (kind === undefined) throw new RangeError(`--kinds: there is no ${name}; --help lists them`);
    return kind;
  });
}

function optionsOrExit() {
  try {
    const { values } = parseArgs({
      options: {
        kinds: { type: 'string' },
        seconds: { type: 'string', default: '10' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (!values.help) {
      return { kinds: chosen(values.kinds), seconds: numberIn('seconds', values.seconds, 1, 600), json: values.json };
    }
    console.log(HELP);
    process.exit(0);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exit(2);
  }
}

const ms = (value: number): string => (Number.isNaN(value) ? '-' : value.toFixed(value < 10 ? 1 : 0));
const shown = ({ quiet50, quiet99, during50, during99, ratio }: Spread): string[] => [
  `${ms(quiet50)}/${ms(quiet99)}`,
  `${ms(during50)}/${ms(during99)}`,
  ratio.toFixed(1),
];

function getTable({ rows }: FloodReport): string {
  const head = ['flood', 'port', 'times', 'read, quiet', 'during', 'x', 'submit, quiet', 'during', 'x', 'recovery'];
  return columns([
    [...head, 'floor, quiet', 'during', 'x', ''],
    ...rows.map(({ kind, service, attacks, read, submit, floor, recoveryMs, violations }) => [
      ...[kind, service, String(attacks), ...shown(read), ...shown(submit)],
      recoveryMs === undefined ? 'none' : `${(recoveryMs / 1_000).toFixed(1)} s`,
      ...shown(floor),
      violations.length === 0 ? '' : 'violated',
    ]),
  ]);
}

const options = optionsOrExit();
const report = await runFloods({ ...options, progress: (text) => console.error(text) });
const violations = report.rows.reduce((sum, row) => sum + row.violations.length, 0);
const summary = `flood: ${report.rows.length} kinds, ${options.seconds} s each, ${violations} violations`;
const machine = { cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length, node: process.versions.node };
if (options.json) console.log(JSON.stringify({ machine, ...report, summary }, null, 2));
else {
  console.log(`\n${machine.cores} cores, ${machine.cpu}, Node ${machine.node}; ${report.note}`);
  console.log('milliseconds, p50/p99 of honest users; x: p99 during the flood to p99 in quiet');
  console.log('floor: the same load on a server beside the network that does nothing and is not attacked\n');
  console.log(getTable(report));
  for (const { kind, violations: each } of report.rows)
    for (const text of each) console.log(`violation: ${kind}: ${text}`);
  console.log(summary);
}
process.exitCode = violations === 0 ? 0 : 1;
