import { loadConfig } from '@switchyard/service/settings';
import { eventually, testProcess } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { fields } from './config.ts';
import { runConductor } from './run.ts';

/** A conductor without peers: nothing listens at the ports of either. */
async function lonely(settings: Readonly<Record<string, string>> = {}) {
  const { context, lines, end } = testProcess('switchyard_conductor_');
  const config = loadConfig(fields, {
    SVC_CONDUCTOR_API_LISTEN_ADDR: '127.0.0.1:0',
    SVC_CONDUCTOR_EXECUTION_RPC_URL: 'http://127.0.0.1:1',
    SVC_CONDUCTOR_SEQUENCER_GRPC_URL: 'http://127.0.0.1:1',
    SVC_CONDUCTOR_SEQUENCER_COMETBFT_URL: 'http://127.0.0.1:1',
    ...settings,
  });
  await runConductor(config, context);
  const url = String(lines.find(({ msg }) => msg === 'conductor listening')?.api);
  return { lines, get: (path: string) => fetch(url + path), [Symbol.asyncDispose]: end };
}

test('it answers before its peers are there, and reports what it waits for', async () => {
  await using conductor = await lonely();
  expect((await conductor.get('/healthz')).status).toBe(200);
  const body = await eventually(async () => {
    const text = await (await conductor.get('/readyz')).text();
    return text.includes('is away') ? text : undefined;
  });
  expect(JSON.parse(body)).toMatchObject({
    status: 'not ready',
    reason: expect.stringContaining('the rollup at http://127.0.0.1:1 is away'),
  });
  expect((await conductor.get('/readyz')).status).toBe(503);
});

test('its status and metrics are there from the start', async () => {
  await using conductor = await lonely();
  expect(await (await conductor.get('/status')).json()).toMatchObject({
    commitLevel: 'SoftIsFirm',
    reading: 'stream',
    sequencerTrouble: 'the sequencer at http://127.0.0.1:1 has not answered yet',
  });
  const metrics = await (await conductor.get('/metrics')).text();
  for (const name of ['executed_soft_block_number', 'executed_firm_block_number', 'transactions_per_executed_block']) {
    expect(metrics).toContain(`switchyard_conductor_${name}`);
  }
});

test('of several nodes it reports which one is used', async () => {
  const two = 'http://127.0.0.1:1,http://127.0.0.1:2';
  await using conductor = await lonely({
    SVC_CONDUCTOR_SEQUENCER_GRPC_URL: two,
    SVC_CONDUCTOR_SEQUENCER_COMETBFT_URL: two,
  });
  expect(await (await conductor.get('/status')).json()).toMatchObject({
    sequencers: [
      { url: 'http://127.0.0.1:1', inUse: true },
      { url: 'http://127.0.0.1:2', inUse: false },
    ],
  });
});

test('without authors of blobs it warns that those of every account are read', async () => {
  const layer = {
    SVC_CONDUCTOR_EXECUTION_COMMIT_LEVEL: 'SoftAndFirm',
    SVC_CONDUCTOR_CELESTIA_NODE_HTTP_URL: 'http://127.0.0.1:1',
  };
  await using open = await lonely(layer);
  const authors = 'celestia1l3e9pgs3mmwuwrh95fecme0s0qtn2880cqrtn5';
  await using bound = await lonely({ ...layer, SVC_CONDUCTOR_CELESTIA_AUTHORS: authors });
  const warned = [open, bound].map(({ lines }) =>
    lines.some(({ setting }) => setting === 'SVC_CONDUCTOR_CELESTIA_AUTHORS'),
  );
  expect(warned).toEqual([true, false]);
});

test.each([
  ['nodes with one address', { SVC_CONDUCTOR_SEQUENCER_GRPC_URL: 'http://a:1,http://b:1' }, 'names 2 sequencer nodes'],
  ['a trusted height without its hash', { SVC_CONDUCTOR_TRUSTED_HEIGHT: '5' }, 'go together: set both or neither'],
])('%s are a mistake', async (_, settings, problem) => {
  await expect(lonely(settings)).rejects.toThrow(problem);
});

// Defect: half of a trusted block of the layer was ignored if the layer was on this machine.
test('half of a trusted block of a layer on this machine is a mistake', async () => {
  const settings = {
    SVC_CONDUCTOR_EXECUTION_COMMIT_LEVEL: 'SoftAndFirm',
    SVC_CONDUCTOR_CELESTIA_NODE_HTTP_URL: 'http://127.0.0.1:1',
    SVC_CONDUCTOR_CELESTIA_TRUSTED_HEIGHT: '5',
  };
  await expect(lonely(settings)).rejects.toThrow(
    'SVC_CONDUCTOR_CELESTIA_TRUSTED_HEIGHT and SVC_CONDUCTOR_CELESTIA_TRUSTED_HASH go together',
  );
});

test.each([
  [{ SVC_CONDUCTOR_EXECUTION_COMMIT_LEVEL: 'FirmOnly' }, 'set SVC_CONDUCTOR_CELESTIA_NODE_HTTP_URL'],
  [
    {
      SVC_CONDUCTOR_EXECUTION_COMMIT_LEVEL: 'SoftAndFirm',
      SVC_CONDUCTOR_CELESTIA_NODE_HTTP_URL: 'https://node.example',
    },
    'set SVC_CONDUCTOR_CELESTIA_TRUSTED_HEIGHT, SVC_CONDUCTOR_CELESTIA_TRUSTED_HASH',
  ],
  [
    {
      SVC_CONDUCTOR_EXECUTION_COMMIT_LEVEL: 'SoftAndFirm',
      SVC_CONDUCTOR_CELESTIA_NODE_HTTP_URL: 'http://127.0.0.1:1',
      SVC_CONDUCTOR_CELESTIA_AUTHORS: 'celestia1abc',
    },
    'SVC_CONDUCTOR_CELESTIA_AUTHORS: expected addresses celestia1..., got celestia1abc',
  ],
])('a layer that is set by half is refused with the setting that is missing or wrong', async (settings, message) => {
  await expect(lonely(settings)).rejects.toThrow(message);
});
