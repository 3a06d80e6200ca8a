import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './network.ts';

const cache = process.env.SWITCHYARD_CACHE ?? join(root, '.cache');

/** Its program; undefined if it is not installed. */
export const schemathesis = (existsSync(cache) ? readdirSync(cache) : [])
  .filter((name) => name.startsWith('schemathesis-'))
  .map((name) => join(cache, name, 'bin', 'schemathesis'))
  .find(existsSync);

if (schemathesis === undefined)
  process.stderr.write(
    'SKIPPED: Schemathesis is not installed (node scripts/schemathesis.mjs installs it, with Python)\n',
  );

/** Not `positive_data_acceptance`: a schema cannot state the checksum of an address, nor which transaction is acceptable. */
const CHECKS = [
  ...['not_a_server_error', 'status_code_conformance', 'content_type_conformance', 'response_schema_conformance'],
  ...['response_headers_conformance', 'negative_data_rejection', 'unsupported_method', 'allow_header_conformance'],
];
/** For endless answers: how long the requests take depends on the machine. */
const LIMIT_SECONDS = 500;
export const SCHEMATHESIS_MS = (LIMIT_SECONDS + 60) * 1_000;

interface Options {
  /** The API whose document it reads. */
  readonly url: string;
  /** The working directory, for the files that it leaves. */
  readonly directory: string;
  /** Values of some parameters, as its settings take them; the others are generated. */
  readonly parameters?: Readonly<Record<string, string | number>>;
  /** Which requests: given parameters make valid ones of intentionally invalid ones. */
  readonly mode?: 'positive' | 'all';
  /** Paths that are left out, as a regular expression. */
  readonly without: string;
  /** Requests that are made up for each operation, in addition to those of the examples and of each constraint. */
  readonly examples: number;
}

/** Sends generated requests. `cases` is 0 if it could not tell how many. */
export async function runSchemathesis({ url, directory, parameters = {}, mode = 'all', without, examples }: Options) {
  const config = join(directory, 'schemathesis.toml');
  const lines = Object.entries(parameters).map(([name, value]) => `${JSON.stringify(name)} = ${JSON.stringify(value)}`);
  writeFileSync(config, ['[parameters]', ...lines, ''].join('\n'));
  const args = [
    String(LIMIT_SECONDS),
    schemathesis ?? '',
    ...['--config-file', config, 'run', `${url}/v1/openapi.json`],
    ...['--checks', CHECKS.join(',')],
    ...['--phases', 'examples,coverage,fuzzing', '--mode', mode],
    // No clock and no chance: a finding is found again.
    ...['--generation-deterministic', '--max-examples', String(examples), '--request-timeout', '30', '--no-color'],
    ...['--exclude-path-regex', without],
  ];
  const { status, stdout, stderr } = await run('timeout', args, {}, directory);
  const report = `${stdout}\n${stderr}`;
  return { status, report, cases: Number(/(\d+) generated, \d+ passed/.exec(report)?.[1] ?? 0) };
}
