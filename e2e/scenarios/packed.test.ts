import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { rpc } from '../support/evm.ts';
import { freeOffset, PORTS, type Ran, root, run, until } from '../support/network.ts';

/** The package of the command line, installed into an empty directory and used from there: the repository plays no part. */
const place = mkdtempSync(join(tmpdir(), 'switchyard-packed-'));
const bin = (name: string) => join(place, 'node_modules', '.bin', name);
const env: NodeJS.ProcessEnv = { SWITCHYARD_HOME: join(place, 'home') };
const ALICE_KEY = '2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90';

afterAll(async () => {
  if (existsSync(bin('switchyard'))) await run(bin('switchyard'), ['dev', 'stop'], env);
  rmSync(place, { recursive: true, force: true });
});

/** In `place`, as a user without the repository would. */
function there(command: string, args: readonly string[]): Promise<Ran> {
  return run('sh', ['-c', 'cd "$0" && exec "$@"', place, command, ...args], env);
}

const UNREACHABLE = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTCACHED|ENETUNREACH/;

test('the packed command line installs without the repository, runs a network and takes a message', async (context) => {
  const packed = await run(process.execPath, [join(root, 'scripts/pack.mjs'), '--built', '--json', '--out', place]);
  expect(packed).toMatchObject({ status: 0, stderr: '' });
  // Our own script wrote it; its used parts are asserted below.
  const { file, unpackedSize } = JSON.parse(packed.stdout) as { file: string; unpackedSize: number };
  // With the libraries that are bundled, that for the Model Context Protocol among them, and the pages that it searches.
  expect(unpackedSize).toBeLessThan(11_200_000);

  const list = await run('tar', ['-tzf', file]);
  // The templates of projects are sources with tests.
  const own = list.stdout.split('\n').filter((path) => !path.startsWith('package/examples/'));
  const odd = own.filter((path) => /\.(test|suite)\.|testing|\.map$|\.d\.ts$|\/src\//.test(path));
  expect(odd).toEqual([]);

  const install = await there('npm', ['install', '--prefix', place, '--prefer-offline', '--ignore-scripts', file]);
  if (install.status !== 0 && UNREACHABLE.test(install.stderr)) {
    context.skip('the package registry is not reachable: the installation was not tested');
  }
  expect(install, install.stderr).toMatchObject({ status: 0 });
  expect(readdirSync(join(place, 'node_modules'))).not.toContain('@switchyard');

  const offset = await freeOffset();
  const init = await there(bin('switchyard'), [
    ...['dev', 'init', '--template', 'messenger,evm', '--port-offset', String(offset)],
  ]);
  expect(init, init.stderr).toMatchObject({ status: 0 });

  const network = spawn(bin('switchyard'), ['dev', 'run', '--headless'], {
    cwd: place,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [network.stdout, network.stderr]) {
    stream.on('data', (chunk: Uint8Array) => (printed += String(chunk)));
  }
  const ready = await until('the network is ready', () => {
    if (network.exitCode !== null) throw new Error(`ended with ${network.exitCode}`);
    return /^ready (\{.*\})$/m.exec(printed)?.[1];
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${printed}`);
  });
  expect(JSON.parse(ready)).toMatchObject({ services: Array.from({ length: 14 }, () => ({ state: 'ready' })) });

  const rollup = `http://127.0.0.1:${PORTS.rollup + offset}`;
  const sent = await there(bin('rollup-cli'), [
    ...['submit', 'text', 'from a package', 'alice', '--rollup-url', rollup, '--private-key', ALICE_KEY],
  ]);
  expect(sent, sent.stderr).toMatchObject({ status: 0 });
  const page = await fetch(rollup);
  expect(page.status).toBe(200);
  const html = await page.text();
  const script = /src="([^"]+\.js)"/.exec(html)?.[1];
  expect((await fetch(new URL(script ?? 'absent', rollup))).status).toBe(200);

  const to = '0x00000000000000000000000000000000000000fe';
  const faucet = `http://127.0.0.1:${PORTS.faucet + offset}`;
  expect((await fetch(faucet)).status).toBe(200);
  const claim = await fetch(`${faucet}/api/claim`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ address: to }),
  });
  expect(claim.status).toBe(200);
  const evm = `http://127.0.0.1:${PORTS.evm + offset}`;
  const balance = { jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: [to, 'latest'] };
  await until('the faucet has paid', async () => {
    return JSON.stringify(await rpc(evm, balance)).includes('"0xde0b6b3a7640000"') || undefined;
  });

  const gone = new Promise((resolve) => network.once('close', resolve));
  expect(await there(bin('switchyard'), ['dev', 'stop'])).toMatchObject({ status: 0 });
  await gone;
});
