import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { anvilIsThere } from '../support/anvil.ts';
import { median } from '../support/statistics.ts';
import { api } from './api.ts';
import { consensus, noComet } from './consensus.ts';
import { da } from './da.ts';
import { dev } from './dev.ts';
import { disk } from './disk.ts';
import { evm } from './evm.ts';
import { attackTable } from './evm-attacks.ts';
import { explorer } from './explorer.ts';
import { framework } from './framework.ts';
import { type Measure, NUMBERS, type NumberName, type Options, type Row, table } from './measure.ts';
import { messenger } from './messenger.ts';
import { network } from './modes.ts';

interface Bench {
  readonly about: string;
  /** Measures that `--only` chooses from. Without them, `--only` takes parts of names of attacks. */
  readonly parts?: Readonly<Record<string, Measure>>;
  /** Options that this bench takes, with their defaults. */
  readonly numbers: Partial<Record<NumberName, number>>;
  /** The reason why it cannot run here, if there is one. */
  readonly missing?: () => string | undefined;
}

const noAnvil = () => (anvilIsThere() ? undefined : 'no anvil found: node scripts/prepare.mjs --tools installs it');

const BENCHES: Readonly<Record<string, Bench>> = {
  messenger: { about: 'the whole stack under load', parts: messenger, numbers: { runs: 5, seconds: 60 } },
  network: {
    about: 'services in one process beside a process for each',
    parts: network,
    numbers: { runs: 5, seconds: 60, blocks: 500 },
  },
  framework: {
    about: 'a rollup by schemas beside the messenger, payments of withdrawals, checks of proofs',
    parts: framework,
    numbers: { runs: 5, seconds: 10, transactions: 20_000 },
  },
  api: {
    about: 'reads and live streams of a messenger node',
    parts: api,
    numbers: { runs: 5, seconds: 10, messages: 1_000_000 },
  },
  explorer: {
    about: 'how fast it indexes and answers, and how far it is behind a network',
    parts: explorer,
    numbers: { runs: 5, seconds: 10, 'long-run': 1_000_000 },
  },
  dev: { about: 'the development tool and its terminal UI', parts: dev, numbers: { runs: 5 } },
  consensus: {
    about: "our sequencer and CometBFT's own kvstore under the same CometBFT, one validator and four",
    parts: consensus,
    numbers: { runs: 5, seconds: 10, blocks: 1_000 },
    missing: noComet,
  },
  evm: {
    about: 'the EVM rollup end to end, beside anvil with the same transactions and questions, and over geth',
    parts: evm,
    numbers: { runs: 5, seconds: 60, transactions: 20_000, blocks: 100_000, 'long-run': 1_000_000, calls: 10_000 },
    missing: noAnvil,
  },
  'evm-attacks': {
    about: 'programs that spend their gas on one thing, CPU seconds for each million gas, beside geth',
    numbers: { gas: 30_000_000 },
  },
  disk: { about: 'bytes that an idle block adds to every store', parts: disk, numbers: { runs: 5, blocks: 4_000 } },
  da: {
    about: 'firm blocks by the local data-availability layer, the relayer, reading back, and fees',
    parts: da,
    numbers: { runs: 5, seconds: 10 },
  },
};

function help(): string {
  const benches = Object.entries(BENCHES).map(([name, { about, parts, numbers }]) => {
    const only = parts === undefined ? '--only takes parts of names' : `--only: ${Object.keys(parts).join(', ')}`;
    const defaults = Object.entries(numbers).map(([option, value]) => `--${option} ${value}`);
    return `${name}: ${about}\n    ${only}\n    ${defaults.join(' ')}`;
  });
  const options = Object.entries(NUMBERS).map(([name, about]) => `  --${`${name} N`.padEnd(16)}${about}`);
  return `usage: npm run bench -- ${Object.keys(BENCHES).join('|')} [options]

Measures against a network of its own and prints a table: the median, least and greatest of the runs. Each bench takes
the options that are listed with it, with these defaults:

${benches.join('\n')}

${options.join('\n')}
  --only LIST       comma-separated: the measures that run
  --json            the same as JSON on stdout; progress goes to stderr`;
}

function fail(text: string, status = 2): never {
  console.error(text);
  process.exit(status);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...(Object.fromEntries(Object.keys(NUMBERS).map((name) => [name, { type: 'string' }])) as Record<
      NumberName,
      { type: 'string' }
    >),
    only: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const [name = ''] = positionals;
const bench = Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined;
if (values.help || positionals.length !== 1 || bench === undefined) {
  console.log(help());
  process.exit(values.help ? 0 : 2);
}

function getNumber(option: NumberName): number {
  const text = values[option];
  const usual = bench?.numbers[option];
  if (text === undefined) return usual ?? 0;
  if (usual === undefined)
    fail(`${name} takes no --${option}; it takes --${Object.keys(bench?.numbers ?? {}).join(', --')}`);
  const value = Number(text);
  return Number.isInteger(value) && value > 0
    ? value
    : fail(`--${option}: expected a whole number above 0, got ${text}`);
}

// The keys are those of the table.
const numbers = Object.fromEntries(
  (Object.keys(NUMBERS) as NumberName[]).map((option) => [option, getNumber(option)]),
) as Record<NumberName, number>;
const options: Options = { ...numbers, progress: (text) => console.error(text) };
const only = values.only?.split(',');
const missing = bench.missing?.();
if (missing !== undefined) fail(missing, 1);

async function getRows(parts: Readonly<Record<string, Measure>>): Promise<Row[]> {
  const unknown = only?.find((part) => !Object.hasOwn(parts, part));
  if (unknown !== undefined) fail(`--only: ${name} has no ${unknown}; it has ${Object.keys(parts).join(', ')}`);
  const rows: Row[] = [];
  for (const [part, measure] of Object.entries(parts))
    if (only?.includes(part) ?? true) rows.push(...(await measure(options)));
  return rows;
}

if (bench.parts === undefined) {
  const { json, text } = await attackTable(options, only ?? []);
  console.log(values.json ? JSON.stringify(json, null, 2) : text);
  process.exit(0);
}
const rows = await getRows(bench.parts);
const machine = { cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length, node: process.versions.node };
if (values.json) {
  const shown = rows.map((row) => ({ ...row, median: median(row.runs) }));
  console.log(JSON.stringify({ machine, options: numbers, rows: shown }, null, 2));
} else {
  const used = Object.keys(bench.numbers).map((option) => `--${option} ${numbers[option as NumberName]}`);
  console.log(
    `${machine.cores} cores, ${machine.cpu}, Node ${machine.node}; ${used.join(' ')}; load generator included\n`,
  );
  console.log(table(rows));
}
