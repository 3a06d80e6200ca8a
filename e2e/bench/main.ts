import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { devRows } from './dev.ts';
import { messengerRows } from './messenger.ts';
import { median, type Row, table } from './statistics.ts';

const HELP = `usage: npm run bench -- messenger|dev [options]

messenger: the whole stack under load. dev: the development tool and its terminal UI.
Runs the benchmarks against a network of its own and prints a table: the median, least and greatest of the runs.

  --runs N          runs of each measure (default 5)
  --seconds N       length of one throughput run (default 60); messenger only
  --only LIST       comma-separated: ready, restart, latency, throughput, bytes (default all); messenger only
  --json            the same as JSON on stdout; progress goes to stderr`;

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  console.error(`--${name}: expected a whole number above 0, got ${text}`);
  process.exit(2);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '60' },
    only: { type: 'string', default: 'ready,restart,latency,throughput,bytes' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const [what] = positionals;
if (values.help || positionals.length !== 1 || (what !== 'messenger' && what !== 'dev')) {
  console.log(HELP);
  process.exit(values.help ? 0 : 2);
}

const options = {
  runs: wholeNumber('runs', values.runs),
  seconds: wholeNumber('seconds', values.seconds),
  only: new Set(values.only.split(',')),
  progress: (text: string) => console.error(text),
};

const rows: Row[] = await (what === 'dev' ? devRows(options) : messengerRows(options));
const machine = { cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length, node: process.versions.node };
if (values.json) {
  const shown = rows.map((row) => ({ ...row, median: median(row.runs) }));
  console.log(JSON.stringify({ machine, seconds: options.seconds, rows: shown }, null, 2));
} else {
  const how = what === 'messenger' ? `; throughput runs of ${options.seconds} s, load generator included` : '';
  console.log(`${machine.cores} cores, ${machine.cpu}, Node ${machine.node}${how}\n`);
  console.log(table(rows));
}
