import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getFirstBlock } from '@switchyard/da';
import { type LocalLayer, startLocalLayer } from '@switchyard/da/testing';
import { toHex } from '@switchyard/protocol';
import { type UnixMs, wallClock } from '@switchyard/service';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { askLayer } from './ask-layer.ts';

/** The local layer in this process, behind its real socket. */
let layer: LocalLayer;
let hash: string;

beforeAll(async () => {
  layer = await startLocalLayer({ SVC_DA_CHAIN_ID: 'test-da' });
  // It may have to be made yet.
  const first = () => getFirstBlock({ url: layer.lightNodeUrl }, new AbortController().signal);
  hash = toHex((await vi.waitFor(first, { timeout: 20_000 })).root.hash);
});

afterAll(() => layer.close());

const ask = (settings: Readonly<Record<string, string>>, wall = wallClock) =>
  askLayer(
    ({ names: [name] }) =>
      new Map(Object.entries({ CELESTIA_NODE_HTTP_URL: layer.lightNodeUrl, ...settings })).get(
        name.replace('SVC_CONDUCTOR_', ''),
      ),
    wall,
  );
const trusted = (more: Readonly<Record<string, string>> = {}) =>
  ask({
    EXPECTED_CELESTIA_CHAIN_ID: 'test-da',
    CELESTIA_TRUSTED_HEIGHT: '1',
    CELESTIA_TRUSTED_HASH: hash,
    ...more,
  });

test('a layer whose newest block follows from the trusted one is well, and one on this machine is believed about its first', async () => {
  const follows = {
    level: 'ok',
    text: expect.stringMatching(/ is of chain test-da, its block \d+ follows from block 1 and is \d+ s old$/),
  };
  expect(await trusted()).toMatchObject([follows]);
  expect(await ask({})).toMatchObject([follows]);
});

test('a layer of another chain, and one that has another block in place of the trusted one', async () => {
  expect(await ask({ EXPECTED_CELESTIA_CHAIN_ID: 'mocha-5' })).toMatchObject([
    { level: 'fail', text: `${layer.lightNodeUrl} is of chain test-da, expected mocha-5` },
  ]);
  expect(await trusted({ CELESTIA_TRUSTED_HASH: 'ab'.repeat(32) })).toMatchObject([
    {
      level: 'fail',
      text: expect.stringContaining('shows what cannot be right'),
      advice: expect.stringContaining('compare the trusted height and hash'),
    },
  ]);
});

test('a layer that makes no more blocks', async () => {
  const later = { unixMs: () => (wallClock.unixMs() + 600_000) as UnixMs };
  expect(await ask({}, later)).toMatchObject([{ level: 'warn', advice: expect.stringContaining('synchronized') }]);
});

test('a layer that does not answer', async () => {
  expect(await ask({ CELESTIA_NODE_HTTP_URL: 'http://127.0.0.1:9' })).toMatchObject([
    { level: 'warn', text: expect.stringMatching(/^http:\/\/127\.0\.0\.1:9 shows no block: /) },
  ]);
});

test('a token that the node does not take, and a file of one that others can read', async () => {
  const server = createServer(
    (request, response) => void request.resume().on('end', () => response.writeHead(401).end()),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const file = join(mkdtempSync(join(tmpdir(), 'switchyard-token-')), 'token');
  writeFileSync(file, 's3cret\n', { mode: 0o600 });
  const settings = { CELESTIA_NODE_HTTP_URL: `http://127.0.0.1:${port}`, CELESTIA_TOKEN_FILE: file };
  expect(await ask(settings)).toMatchObject([
    { level: 'fail', text: expect.stringContaining('does not accept the token') },
  ]);
  chmodSync(file, 0o644);
  const open = await ask(settings);
  expect(open).toMatchObject([{ level: 'fail', text: expect.stringContaining('a file that not everybody can read') }]);
  expect(JSON.stringify(open)).not.toContain('s3cret');
  await new Promise((resolve) => server.close(resolve));
});
