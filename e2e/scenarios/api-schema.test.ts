import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNetwork, type Network, root, run } from '../support/network.ts';
import { ask, fund, newSigner, writeTexts } from '../support/submitting.ts';

/*
 * Schemathesis against a node that runs: requests made from the OpenAPI document, valid ones and others, and whether the
 * answers are those that it describes.
 */

const cache = process.env.SWITCHYARD_CACHE ?? join(root, '.cache');
const program = (existsSync(cache) ? readdirSync(cache) : [])
  .filter((name) => name.startsWith('schemathesis-'))
  .map((name) => join(cache, name, 'bin', 'schemathesis'))
  .find(existsSync);
if (program === undefined)
  process.stderr.write(
    'SKIPPED: Schemathesis is not installed (node scripts/schemathesis.mjs installs it, with Python)\n',
  );

let network: Network;

beforeAll(async () => {
  if (program === undefined) return;
  network = await createNetwork();
  await network.start();
});

afterAll(() => network?.dispose());

/** Not `positive_data_acceptance`: a schema cannot state the checksum of an address, nor which transaction is acceptable. */
const CHECKS = [
  ...['not_a_server_error', 'status_code_conformance', 'content_type_conformance', 'response_schema_conformance'],
  ...['response_headers_conformance', 'negative_data_rejection', 'unsupported_method', 'allow_header_conformance'],
];
/** Waiting for a transaction that does not come takes as long as the client asks. */
const CONFIG = '[parameters]\n"query.timeoutMs" = 100\n';
const LIMIT_SECONDS = '120';

test.skipIf(program === undefined)('answers to generated requests are as the document describes them', async () => {
  const url = network.url('rollup');
  const { chainId } = (await ask(`${url}/v1/status`)).body;
  const writer = newSigner();
  await fund(url, chainId, [writer]);
  let stopped = false;
  const writing = writeTexts(url, writer, { chainId, name: 'writer', until: () => stopped });
  const config = join(network.home, 'schemathesis.toml');
  writeFileSync(config, CONFIG);
  const args = [
    LIMIT_SECONDS,
    program ?? '',
    ...['--config-file', config, 'run', `${url}/v1/openapi.json`],
    ...['--checks', CHECKS.join(',')],
    ...['--phases', 'examples,coverage,fuzzing'],
    // No clock and no chance: a finding is found again.
    ...['--generation-deterministic', '--max-examples', '60', '--request-timeout', '30', '--no-color'],
    // Streams stay open; unit tests have their answers.
    ...['--exclude-path-regex', '/v1/(events|streams/.*|transactions/[^/]+/stream)$'],
  ];
  // It leaves files where it runs.
  const { status, stdout, stderr } = await run('timeout', args, {}, network.home);
  stopped = true;
  await writing;
  const report = `${stdout}\n${stderr}`;
  expect(status, report.slice(-20_000)).toBe(0);
  const cases = Number(/(\d+) generated, \d+ passed/.exec(report)?.[1] ?? 0);
  expect(cases, report.slice(-2_000)).toBeGreaterThan(500);
});
