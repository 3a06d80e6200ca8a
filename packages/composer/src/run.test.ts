import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@switchyard/service';
import { testProcess } from '@switchyard/service/testing';
import { afterAll, expect, test } from 'vitest';
import { fields } from './config.ts';
import { runComposer } from './run.ts';

const directory = mkdtempSync(join(tmpdir(), 'composer-run-'));
afterAll(() => rmSync(directory, { recursive: true }));
const keyFile = join(directory, 'key');
writeFileSync(keyFile, '2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90', { mode: 0o600 });

/** Runs until `look` has finished. */
async function run(
  settings: Readonly<Record<string, string>>,
  look: (lines: readonly unknown[]) => Promise<void> = async () => undefined,
) {
  const config = loadConfig(fields, {
    SVC_COMPOSER_SEQUENCER_CHAIN_ID: 'c',
    SVC_COMPOSER_PRIVATE_KEY_FILE: keyFile,
    SVC_COMPOSER_DB_FILEPATH: join(directory, 'db'),
    SVC_COMPOSER_GRPC_ADDR: '127.0.0.1:0',
    SVC_COMPOSER_API_LISTEN_ADDR: '127.0.0.1:0',
    SVC_COMPOSER_SEQUENCER_ABCI_ENDPOINT: 'http://127.0.0.1:9',
    SVC_COMPOSER_SEQUENCER_GRPC_ENDPOINT: 'http://127.0.0.1:9',
    ...settings,
  });
  const { context, lines, end } = testProcess();
  try {
    await runComposer(config, context);
    await look(lines);
  } finally {
    await end();
  }
}

test('a public test key is not used with a sequencer elsewhere', async () => {
  const elsewhere = { SVC_COMPOSER_SEQUENCER_ABCI_ENDPOINT: 'http://sequencer.invalid:26657' };
  await expect(run(elsewhere)).rejects.toThrow(
    `${keyFile}: a public test key, and http://sequencer.invalid:26657 is not local; name a key of your own, or set SVC_COMPOSER_ALLOW_DEV_KEY=true`,
  );
});

test('a bundle that has room for nothing is a mistake', async () => {
  await expect(
    run({ SVC_COMPOSER_FEE_ASSET: `transfer/${'x'.repeat(900)}/y`, SVC_COMPOSER_MAX_BYTES_PER_BUNDLE: '1000' }),
  ).rejects.toThrow('SVC_COMPOSER_MAX_BYTES_PER_BUNDLE');
});

test('nodes with one address only are a mistake', async () => {
  await expect(run({ SVC_COMPOSER_SEQUENCER_ABCI_ENDPOINT: 'http://127.0.0.1:9,http://127.0.0.1:8' })).rejects.toThrow(
    'SVC_COMPOSER_SEQUENCER_GRPC_ENDPOINT names 1 sequencer nodes and SVC_COMPOSER_SEQUENCER_ABCI_ENDPOINT 2',
  );
});

test('listens before it has a sequencer, is not ready, and reports why', async () => {
  await run({}, async (logged) => {
    const { http } = logged.find((each) => typeof each === 'object' && each !== null && 'http' in each) as {
      http: string;
    };
    const ready = await fetch(`${http}/readyz`);
    expect([(await fetch(`${http}/healthz`)).status, ready.status]).toEqual([200, 503]);
    expect(await ready.text()).toMatch(/not connected|cannot be reached/);
    expect(await (await fetch(`${http}/status`)).json()).toMatchObject({
      chainId: 'c',
      feeAsset: 'nria',
      queuedItems: 0,
    });
    expect(await (await fetch(`${http}/v1/recent?limit=5`)).json()).toEqual({ transactions: [] });
    expect((await fetch(`${http}/v1/recent?limit=none`)).status).toBe(400);
  });
});
