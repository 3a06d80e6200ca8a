import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMetrics, loadConfig, type ProcessContext } from '@switchyard/service';
import { askAs, memoryLogger } from '@switchyard/service/testing';
import { afterEach, expect, test } from 'vitest';
import { fields } from './config.ts';
import { runFaucet } from './run.ts';

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A faucet whose node does not answer, which nothing here comes to ask. */
async function running(env: Record<string, string> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-faucet-'));
  closers.push(() => rmSync(directory, { recursive: true }));
  const key = join(directory, 'key');
  writeFileSync(key, '11'.repeat(32), { mode: 0o600 });
  const { log, lines } = memoryLogger();
  const stop = new AbortController();
  const work: Promise<unknown>[] = [];
  closers.push(() => Promise.all(work).then(() => undefined));
  closers.push(() => stop.abort(new Error('the test is over')));
  const context: ProcessContext = {
    log,
    signal: stop.signal,
    metrics: createMetrics('switchyard_faucet_'),
    defer: (close) => void closers.push(close),
    background: (job) => void work.push(job.catch(() => undefined)),
    fail: (error) => stop.abort(error),
  };
  const config = loadConfig(fields, {
    SVC_FAUCET_LISTEN_ADDR: '127.0.0.1:0',
    SVC_FAUCET_RPC_URL: 'http://127.0.0.1:1',
    SVC_FAUCET_PRIVATE_KEY_FILE: key,
    SVC_FAUCET_DB_FILEPATH: join(directory, 'db'),
    ...env,
  });
  await runFaucet(config, context);
  const url = String(lines.find(({ msg }) => msg === 'the faucet answers')?.http);
  // Looked at only after who asks.
  const body = '{"address":"nowhere"}';
  return (headers: Record<string, string>) => askAs(`${url}/api/claim`, { method: 'POST', headers, body });
}

const FORGED = { host: 'evil.example', origin: 'http://evil.example' };

test.each([
  ['a page of another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, false],
  ['one that an older browser shows', { origin: 'https://evil.example' }, false],
  ['one without an origin of its own', { origin: 'null' }, false],
  ['a page whose own name points here', FORGED, false],
  ['one that claims to be the same origin', { ...FORGED, 'sec-fetch-site': 'same-origin' }, false],
  ['its own page', { host: 'localhost:3031', origin: 'http://localhost:3031', 'sec-fetch-site': 'same-origin' }, true],
  ['its own page under a listed name', { host: 'faucet.example', origin: 'https://faucet.example' }, true],
  [
    'its own page behind a proxy',
    { origin: 'https://faucet.example', host: '10.0.0.1', 'x-forwarded-host': 'faucet.example' },
    true,
  ],
  ['a page of a listed origin', { origin: 'https://wallet.example' }, true],
  ['a program', {}, true],
])('a claim from %s', async (_, headers, taken) => {
  const claim = await running({
    SVC_FAUCET_ALLOWED_HOSTS: 'faucet.example',
    SVC_FAUCET_ALLOWED_ORIGINS: 'https://wallet.example',
  });
  const { status, body } = await claim(headers);
  expect(status).toBe(taken ? 400 : 403);
  // The member that clients of the original read.
  expect(JSON.parse(body)).toMatchObject({ msg: expect.stringMatching(taken ? /./ : /SVC_FAUCET_ALLOWED_/) });
});
