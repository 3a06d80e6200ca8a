import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@switchyard/service';
import { eventually, testProcess } from '@switchyard/service/testing';
import { afterAll, expect, test } from 'vitest';
import { fields } from './config.ts';
import { runRelayer } from './run.ts';

const directory = mkdtempSync(join(tmpdir(), 'relayer-run-'));
afterAll(() => rmSync(directory, { recursive: true }));
const keyFile = join(directory, 'key');
// The first development account of the reference, which is published.
writeFileSync(keyFile, '2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90', { mode: 0o600 });

/** A relayer without peers: nothing listens at their ports. */
async function lonely(settings: Readonly<Record<string, string>> = {}) {
  const { context, lines, end } = testProcess('switchyard_relayer_');
  const config = loadConfig(fields, {
    SVC_RELAYER_API_LISTEN_ADDR: '127.0.0.1:0',
    SVC_RELAYER_SEQUENCER_GRPC_ENDPOINT: 'http://127.0.0.1:1',
    SVC_RELAYER_SEQUENCER_ABCI_ENDPOINT: 'http://127.0.0.1:1',
    SVC_RELAYER_DA_GRPC_ENDPOINT: 'http://127.0.0.1:1',
    SVC_RELAYER_SEQUENCER_CHAIN_ID: 'c',
    SVC_RELAYER_DA_CHAIN_ID: 'celestia',
    SVC_RELAYER_PRIVATE_KEY_FILE: keyFile,
    SVC_RELAYER_DB_FILEPATH: join(directory, 'db'),
    ...settings,
  });
  try {
    await runRelayer(config, context);
  } catch (error) {
    await end();
    throw error;
  }
  const url = String(lines.find(({ msg }) => msg === 'relayer listening')?.api);
  return { get: (path: string) => fetch(url + path), [Symbol.asyncDispose]: end };
}

test('it answers before its peers are there, and reports what it waits for', async () => {
  await using relayer = await lonely();
  expect((await relayer.get('/healthz')).status).toBe(200);
  const reason = await eventually(async () => {
    const text = await (await relayer.get('/readyz')).text();
    return text.includes('the consensus node at http://127.0.0.1:1') ? text : undefined;
  });
  expect(JSON.parse(reason)).toMatchObject({ status: 'not ready' });
  expect((await relayer.get('/readyz')).status).toBe(503);
});

test('its status and metrics are there from the start', async () => {
  await using relayer = await lonely();
  expect(await (await relayer.get('/status')).json()).toMatchObject({
    ...{ sequencerChainId: 'c', daChainId: 'celestia', isBalanceLow: false, leftOut: [] },
    account: expect.stringMatching(/^celestia1/),
  });
  expect(await (await relayer.get('/v1/posted?from=1&to=9')).json()).toEqual({
    ...{ sequencerChainId: 'c', daChainId: 'celestia', blocks: [] },
  });
  for (const query of ['', '?from=0', '?from=5&to=4', '?from=1&to=1001', '?from=1&by=2']) {
    expect((await relayer.get(`/v1/posted${query}`)).status).toBe(400);
  }
  const metrics = await (await relayer.get('/metrics')).text();
  for (const name of ['sequencer_height', 'posted_sequencer_height', 'da_height', 'balance_utia', 'fees_utia_total']) {
    expect(metrics).toContain(`switchyard_relayer_${name}`);
  }
});

test('a public test key is not used with a layer elsewhere', async () => {
  await expect(lonely({ SVC_RELAYER_DA_GRPC_ENDPOINT: 'http://layer.invalid:9090' })).rejects.toThrow(
    `${keyFile}: a public test key, and http://layer.invalid:9090 is not local; name a key of your own, or set SVC_RELAYER_ALLOW_DEV_KEY=true`,
  );
});

test('nodes with one address only are a mistake', async () => {
  await expect(lonely({ SVC_RELAYER_SEQUENCER_GRPC_ENDPOINT: 'http://a:1,http://b:1' })).rejects.toThrow(
    'SVC_RELAYER_SEQUENCER_GRPC_ENDPOINT names 2 sequencer nodes and SVC_RELAYER_SEQUENCER_ABCI_ENDPOINT 1',
  );
});
