import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findBrowser, openPage } from './browser.ts';
import { freeOffset, PORTS, type Ran, root, run, until } from './network.ts';
import type { Registry } from './registry.ts';

const TEMPLATES = ['counter', 'token', 'orderbook', 'market', 'evm'] as const;
/** alice, whose key is published. */
const KEY = '2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90';
const BOB = 'astria1yf56efahcq786pe5t7paknat40g6q4tsvqtql2';
const CREATE = join('packages', 'create', 'bin', 'create-switchyard.mjs');
const UNREACHABLE = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|E50\d/;
const READY = /Ctrl\+C stops the network and keeps its state/;

/**
 * Projects of all templates, made outside the repository by the published command, each used by its own commands. They share the packages
 * of the directory above them, so that npm installs once.
 */
export function testNewProjects(registry: () => Registry): void {
  const place = mkdtempSync(join(tmpdir(), 'switchyard-projects-'));

  let env: NodeJS.ProcessEnv;
  let rollupUrl: string;
  let evmUrl: string;

  const nowhere = {
    ...{ npm_config_registry: 'http://127.0.0.1:9/', npm_config_fetch_retries: '0', npm_config_prefer_online: 'true' },
    npm_config_cache: join(place, 'home', 'empty'),
  };
  const getProject = (template: string) => join(place, `my-${template}`);
  const inProject = (template: string, command: string, ...args: string[]): Promise<Ran> =>
    run(command, args, env, getProject(template));

  beforeAll(async () => {
    const offset = await freeOffset();
    rollupUrl = `http://127.0.0.1:${PORTS.rollup + offset}`;
    evmUrl = `http://127.0.0.1:${PORTS.evm + offset}`;
    mkdirSync(join(place, 'home'));
    env = {
      ...registry().env,
      NO_COLOR: '1',
      HOME: join(place, 'home'),
      npm_config_cache: process.env.npm_config_cache ?? join(homedir(), '.npm'),
      SWITCHYARD_PORT_OFFSET: String(offset),
      ROLLUP_URL: rollupUrl,
      ROLLUP_PRIVATE_KEY: KEY,
    };
  });

  afterAll(async () => {
    rmSync(place, { recursive: true, force: true });
  });

  /** `npm start` of a project, until it has printed a text. @returns its output, and how to end it. */
  async function start(template: string, ready: RegExp) {
    const child = spawn('npm', ['start'], {
      cwd: getProject(template),
      env: { ...process.env, ...env },
      detached: true,
    });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Uint8Array) => (printed += String(chunk)));
    const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
    const prints = (pattern: RegExp) =>
      until(`${template} prints ${pattern}`, () => {
        if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${printed}`);
        return pattern.exec(printed) ?? undefined;
      });
    const stop = async () => {
      // The group, as a terminal does.
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGINT');
      return closed;
    };
    try {
      await prints(ready);
    } catch (error) {
      await stop();
      throw error;
    }
    return { prints, stop };
  }

  const program = async (template: string, ...args: string[]): Promise<string> => {
    const ran = await inProject(template, 'node', `bin/my-${template}.mjs`, ...args);
    expect(ran, ran.stderr).toMatchObject({ status: 0 });
    return ran.stdout;
  };

  test('npm create makes a project of each template', async (context) => {
    const dependencies: Record<string, string> = {};
    for (const template of TEMPLATES) {
      const args = [
        'create',
        '--yes',
        'switchyard@latest',
        `my-${template}`,
        '--',
        '--template',
        template,
        '--no-install',
      ];
      const made = await run('npm', args, env, place);
      expect(made, made.stderr).toMatchObject({ status: 0 });
      expect(made.stdout).toContain('npm start');
      const manifest = readFileSync(join(getProject(template), 'package.json'), 'utf8');
      // A file of ours; npm reads it in a moment.
      const read = JSON.parse(manifest) as { dependencies: object; devDependencies: object };
      Object.assign(dependencies, read.dependencies, read.devDependencies);
    }
    expect(Object.values(dependencies).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
    writeFileSync(join(place, 'package.json'), JSON.stringify({ private: true, dependencies }));
    const installed = await run('npm', ['install', '--prefer-offline', '--ignore-scripts'], env, place);
    if (installed.status !== 0 && UNREACHABLE.test(installed.stderr))
      context.skip('the package registry is not reachable: projects were not tested');
    expect(installed, installed.stderr).toMatchObject({ status: 0 });
  });

  const isInstalled = () => readdirSync(place).includes('node_modules');

  test('without a registry one line is printed, and nothing is left of a project', async () => {
    // The files of the published package, which are not in a repository.
    const published = join(place, 'home', 'published');
    for (const part of [
      'packages/create/package.json',
      'packages/create/bin',
      'packages/create/dist',
      'examples/counter',
    ])
      cpSync(join(root, part), join(published, part), { recursive: true });
    const before = readdirSync(place);
    const made = await run(process.execPath, [join(published, CREATE), 'alone'], { ...env, ...nowhere }, place);
    expect(made).toMatchObject({
      status: 1,
      stderr:
        'npm install: the registry is not reachable (ECONNREFUSED): try again with a network, or with --no-install\n',
    });
    expect(readdirSync(place)).toEqual(before);
  });

  test('a project that the repository makes installs, passes its tests and starts without a registry', async () => {
    const made = await run(process.execPath, [join(root, CREATE), 'my-linked'], { ...env, ...nowhere }, place);
    expect(made, made.stderr).toMatchObject({ status: 0 });
    const tested = await run('npm', ['test'], { ...env, ...nowhere }, getProject('linked'));
    expect(tested, tested.stdout).toMatchObject({ status: 0, stdout: expect.stringMatching(/# fail 0/) });
    const { stop } = await start('linked', READY);
    await stop();
    const own = await run('npx', ['--no', 'switchyard', '--version'], { ...env, ...nowhere }, getProject('linked'));
    expect(own, own.stderr).toMatchObject({ status: 0 });
  });

  test.for(TEMPLATES)('a project of %s passes its own tests', async (template, context) => {
    if (!isInstalled()) context.skip('nothing was installed');
    const { status, stdout, stderr } = await inProject(template, 'npm', 'test');
    expect(status, `${stdout}${stderr}`).toBe(0);
    expect(stdout).toMatch(/# fail 0/);
  });

  test('the counter runs, takes over a change of its source with its state, and keeps the state', async (context) => {
    if (!isInstalled()) context.skip('nothing was installed');
    const source = join(getProject('counter'), 'src', 'counter.ts');
    const text = readFileSync(source, 'utf8');
    const total = async () => (await fetch(`${rollupUrl}/v1/total`)).text();
    const first = await start('counter', READY);
    try {
      expect(await program('counter', 'submit', 'add', '--amount', '5')).toMatch(/in block/);
      expect(await total()).toBe('{"total":"105"}');
      writeFileSync(source, text.replace('total: total.get(state) })', 'total: 2n * total.get(state) })'));
      await first.prints(/my-counter runs the change/);
      expect(await total()).toBe('{"total":"210"}');
      expect(await program('counter', 'submit', 'add', '--amount', '1')).toMatch(/in block/);
      expect(await total()).toBe('{"total":"212"}');
      writeFileSync(source, text.replace("single({ name: 'total'", "single({ name: 'sum'"));
      await first.prints(/table total is no more; put it back.*\n.*npm run reset/);
      writeFileSync(source, text);
      await first.prints(/reset[\s\S]*my-counter runs the change/);
      expect(await total()).toBe('{"total":"106"}');
    } finally {
      await first.stop();
    }
    const second = await start('counter', READY);
    expect(await total()).toBe('{"total":"106"}');
    const busy = await inProject('counter', 'npm', 'run', 'reset');
    expect(busy).toMatchObject({ status: 64, stderr: expect.stringContaining('a network of process') });
    await second.stop();
    expect(await inProject('counter', 'npm', 'run', 'reset')).toMatchObject({ status: 0 });
    expect(readdirSync(getProject('counter')).filter((name) => /^\.(switchyard|running)/.test(name))).toEqual([]);
  });

  test('the token is minted and transferred', async (context) => {
    if (!isInstalled()) context.skip('nothing was installed');
    const { stop } = await start('token', READY);
    try {
      expect(await program('token', 'submit', 'mint', '--to', BOB, '--amount', '500')).toMatch(/in block/);
      expect(await program('token', 'query', 'balance', '--account', BOB)).toBe('{"amount":"500"}\n');
    } finally {
      await stop();
    }
  });

  test('the order book matches, and its page follows it', async (context) => {
    if (!isInstalled()) context.skip('nothing was installed');
    const { stop } = await start('orderbook', READY);
    const browser = findBrowser();
    const page = browser === undefined ? undefined : await openPage(browser);
    const place = (isBid: boolean, price: number, amount: number) =>
      program(
        'orderbook',
        ...['submit', 'place', '--is-bid', `${isBid}`, '--price', `${price}`, '--amount', `${amount}`],
      );
    try {
      await page?.open(`${rollupUrl}/`);
      await page?.sees(/Best bid none, best ask none/);
      await place(true, 100, 5);
      await page?.sees(/Best bid 100, best ask none/);
      await place(false, 100, 7);
      await page?.sees(/Best bid none, best ask 100/);
      expect(JSON.parse(await program('orderbook', 'query', 'best'))).toMatchObject({ ask: 100 });
      const index = await fetch(`${rollupUrl}/`);
      expect(await index.text()).toContain('<title>Order book</title>');
    } finally {
      await page?.close();
      await stop();
    }
  });

  test('the Ethereum rollup has its contract', async (context) => {
    if (!isInstalled()) context.skip('nothing was installed');
    const { prints, stop } = await start('evm', READY);
    try {
      const [, address] = await prints(/Counter at (0x[0-9a-fA-F]{40})/);
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getCode', params: [address, 'latest'] });
      const answer = await fetch(evmUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      expect(await answer.text()).toMatch(/"result":"0x[0-9a-f]{100,}"/);
    } finally {
      await stop();
    }
  });
}
