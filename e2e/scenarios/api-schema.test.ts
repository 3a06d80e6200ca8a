import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNetwork, type Network, until } from '../support/network.ts';
import { runSchemathesis, SCHEMATHESIS_MS, schemathesis } from '../support/schemathesis.ts';
import { type Answer, ask, fund, newSigner, writeTexts } from '../support/submitting.ts';

/*
 * Schemathesis against processes that run: requests made from their OpenAPI documents, valid ones and others, and whether
 * the answers match the documents.
 */

let network: Network;
let stopped = false;
let writing: Promise<unknown> | undefined;

beforeAll(async () => {
  if (schemathesis === undefined) return;
  network = await createNetwork({ init: ['--template', 'messenger,evm'], hasProcesses: false });
  await network.start();
  const url = network.url('rollup');
  const { chainId } = (await ask(`${url}/v1/status`)).body;
  const writer = newSigner();
  await fund(url, chainId, [writer]);
  writing = writeTexts(url, writer, { chainId, name: 'writer', until: () => stopped });
});

afterAll(async () => {
  stopped = true;
  await writing;
  await network?.dispose();
});

const described = 'answers generated requests as its document describes';
const options = { timeout: SCHEMATHESIS_MS };

test.skipIf(schemathesis === undefined)(`a rollup ${described}`, options, async () => {
  const { status, report, cases } = await runSchemathesis({
    url: network.url('rollup'),
    directory: network.home,
    // Waiting for a transaction that does not come takes as long as the client asks.
    parameters: { 'query.timeoutMs': 100 },
    // Streams stay open; unit tests have their answers.
    without: '/v1/(streams/.*|transactions/[^/]+/stream)$',
    examples: 20,
  });
  expect(status, report.slice(-20_000)).toBe(0);
  expect(cases, report.slice(-2_000)).toBeGreaterThan(500);
});

/** Existing names, so that not all requests end with 404; with nothing given, invalid requests are generated too. */
const KNOWN = [
  { parameters: {}, mode: 'all', examples: 5 },
  { parameters: { 'path.rollup': 'messenger', 'path.block': 5, 'path.height': 5 }, mode: 'positive', examples: 5 },
  { parameters: { 'path.rollup': 'evm', 'path.block': 5 }, mode: 'positive', examples: 5 },
] as const;

test.skipIf(schemathesis === undefined).each(KNOWN)(
  `the explorer ${described}, given $parameters`,
  options,
  async ({ parameters, mode, examples }) => {
    const url = network.url('explorer');
    await until('the explorer has block 5', async () => {
      const { height, rollups } = (await ask(`${url}/v1/status`)).body;
      const has = (name: string) => rollups.some((each: Answer['body']) => each.name === name && each.number >= 5);
      return (height >= 5 && has('messenger') && has('evm')) || undefined;
    });
    const { status, report, cases } = await runSchemathesis({
      ...{ url, directory: network.home, parameters, mode, examples },
      without: '/v1/events$',
    });
    expect(status, report.slice(-20_000)).toBe(0);
    expect(cases, report.slice(-2_000)).toBeGreaterThan(200);
  },
);
