import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { FOREVER } from '@switchyard/network/supervisor/testing';
import { askAs, freePort } from '@switchyard/service/testing';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, expect, test } from 'vitest';
import { switchyard } from '../../switchyard.ts';
import { runWith } from '../../testing.ts';
import { readInstance } from '../instance/instance.ts';
import type { RunningInstance } from '../run/running.ts';
import { startInstance } from '../run/start.ts';
import { planServices } from '../services/services.ts';
import { readFacts } from '../status/facts.ts';
import { NETWORK_SCHEMA } from '../status/network.ts';
import { toOverview } from '../status/overview.ts';
import { toUrls } from '../status/urls.ts';
import { BUILT, programsInstance, scratchInstance, scratchPaths } from '../testing.ts';
import { describeNetwork, getLinks } from './descriptor.ts';
import { startPageAddress } from './where.ts';

const valid = new Ajv2020({ allErrors: true }).compile(NETWORK_SCHEMA);
const expectValid = (value: unknown) => expect([valid(value), valid.errors]).toEqual([true, null]);

const open: RunningInstance[] = [];
const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((running) => running.stop()));
  for (const server of servers.splice(0)) server.close();
});

/** An instance of one small program, with a start page at the address that is given. */
async function started(line: string, env: NodeJS.ProcessEnv = {}) {
  const paths = scratchPaths();
  programsInstance(paths, { one: FOREVER });
  const text = readFileSync(paths.networks, 'utf8');
  writeFileSync(paths.networks, text.replace('start_page = ""', line));
  const notices: string[] = [];
  const running = await startInstance({
    ...{ paths, network: 'local', env: { PATH: process.env.PATH, ...env } },
    onNotice: (notice) => notices.push(notice),
  });
  open.push(running);
  return { running, notices, url: running.startPage ?? 'none' };
}

/** A port that another listener has, to which an offset can shift the usual one. */
async function takenPort(): Promise<number> {
  for (let port = 3_000 + 1_000; port < 3_000 + 10_000; port += 7) {
    const server = createServer();
    const isTaken = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isTaken) continue;
    servers.push(server);
    return port;
  }
  throw new Error('no free port in the range');
}

test.each(['messenger', 'evm', 'messenger,evm', 'empty'])(
  'what runs of %s is described as the schema has it',
  async (template) => {
    const instance = readInstance(scratchInstance({ template, portOffset: 10 }), 'local', {});
    const services = planServices(instance, {}, BUILT);
    const running = { instance, services, supervisor: { status: () => [] } };
    const facts = await readFacts(toUrls(instance.network, services), [], async () => undefined);
    const described = describeNetwork(toOverview(running, facts), services);
    expectValid(JSON.parse(JSON.stringify(described)));
    const links = Object.fromEntries(described.links.map(({ kind, service, url }) => [`${service} ${kind}`, url]));
    const messenger = { 'rollup chat': 'http://127.0.0.1:3040/', 'rollup api': 'http://127.0.0.1:3040/docs' };
    const faucets = {
      'faucet faucet': 'http://127.0.0.1:3041/',
      'sequencer-faucet faucet': 'http://127.0.0.1:3042/',
    };
    const evm = template.includes('evm');
    expect(links).toMatchObject({ ...(template.includes('messenger') && messenger), ...(evm && faucets) });
    expect('rollup chat' in links).toBe(template.includes('messenger'));
    expect('faucet faucet' in links).toBe(evm);
    expect(described.accounts.filter(({ on }) => on === 'evm')).toHaveLength(evm ? 10 : 0);
    expect(described.notice).toMatch(/^PUBLIC TEST KEYS/);
  },
);

// Defect: The schema of `/network.json` refused a chain id that is text
test('a chain id beyond the numbers of JSON is described as the schema has it', async () => {
  const instance = readInstance(scratchInstance({ template: 'evm', portOffset: 10 }), 'local', {});
  const running = { instance, services: planServices(instance, {}, BUILT), supervisor: { status: () => [] } };
  const status = { rollup: 'evm', chainId: '18446744073709551615', soft: { number: 3 } };
  const urls = toUrls(instance.network, running.services);
  const facts = await readFacts(urls, [], async (url) => (url.endsWith(':8555/status') ? status : undefined));
  const described = describeNetwork(toOverview(running, facts), running.services);
  expect(described.evm).toMatchObject({ chainId: '18446744073709551615', height: 3 });
  expectValid(JSON.parse(JSON.stringify(described)));
});

test('the explorer is linked where its page was built', () => {
  const services = planServices(readInstance(scratchInstance({ portOffset: 10 }), 'local', {}), {}, BUILT);
  const explorers = (hasPage: boolean) => getLinks(services, () => hasPage).filter(({ kind }) => kind === 'explorer');
  expect(explorers(false)).toEqual([]);
  expect(explorers(true)).toEqual([{ kind: 'explorer', service: 'explorer', url: 'http://127.0.0.1:3043/' }]);
});

test('the page has the facts as JSON, their schema, and the headers of every listener', async () => {
  const port = await freePort();
  const { url } = await started(`start_page = "127.0.0.1:${port}"`);
  expect(url).toBe(`http://127.0.0.1:${port}`);
  const facts = await askAs(`${url}/network.json`);
  const network: unknown = JSON.parse(facts.body);
  expectValid(network);
  expect(network).toMatchObject({ startPage: url, services: [{ name: 'one' }], flow: { rollups: [] } });
  expect(network).toMatchObject({ problems: [] });
  const kinds = ['sequencer', 'build', 'deploy', 'start'].map((kind) => ({ kind }));
  expect(network).toMatchObject({ steps: kinds });
  expect(JSON.parse((await askAs(`${url}/network.schema.json`)).body)).toEqual(NETWORK_SCHEMA);
  expect(facts.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
  for (const host of ['evil.example', `evil.example:${port}`]) {
    const refused = await askAs(`${url}/network.json`, { headers: { host } });
    expect([refused.status, refused.body]).toEqual([403, expect.stringContaining('SWITCHYARD_ALLOWED_HOSTS')]);
  }
  const foreign = await askAs(`${url}/network.json`, { headers: { origin: 'http://evil.example' } });
  expect(foreign.status).toBe(403);
  expect((await askAs(`${url}/network.json`, { method: 'POST', body: 'x'.repeat(2_000) })).status).toBe(413);
});

test('further names are allowed by a variable', async () => {
  const { url } = await started('start_page = "127.0.0.1:0"', { SWITCHYARD_ALLOWED_HOSTS: 'node.example, other' });
  expect(url).not.toContain(':0');
  expect((await askAs(`${url}/network.json`, { headers: { host: 'node.example' } })).status).toBe(200);
});

test('a port that a file names and that is taken prevents the start; the usual one does not', async () => {
  const port = await takenPort();
  await expect(started(`start_page = "127.0.0.1:${port}"`)).rejects.toThrow(
    new RegExp(`^port ${port} of start page \\(HTTP\\): in use by .*change networks.local.start_page in `),
  );
  // The usual port is as far from 3000 as that of the sequencer's RPC is from 26657.
  const offset = port - 3_000;
  const usual = `sequencer_rpc = "http://127.0.0.1:${26_657 + offset}"`;
  const paths = scratchPaths();
  programsInstance(paths, { one: FOREVER });
  const text = readFileSync(paths.networks, 'utf8').replace('start_page = ""\n', '');
  writeFileSync(paths.networks, text.replace(/^sequencer_rpc = .*$/m, usual));
  const notices: string[] = [];
  const running = await startInstance({
    ...{ paths, network: 'local', env: { PATH: process.env.PATH } },
    onNotice: (notice) => notices.push(notice),
  });
  open.push(running);
  expect(running.startPage).toBeUndefined();
  expect(notices).toEqual([expect.stringMatching(new RegExp(`^no start page: port ${port} of start page `))]);
});

test('a network without the key has the page beside its other ports; an empty one turns it off', async () => {
  const paths = scratchInstance({ portOffset: 20 });
  const getAddress = (from: RegExp, to: string) => {
    writeFileSync(paths.networks, readFileSync(paths.networks, 'utf8').replace(from, to));
    return startPageAddress(readInstance(paths, 'local', {}));
  };
  expect(getAddress(/^/, '')).toMatchObject({ isUsual: false, use: { port: 3_020 } });
  expect(getAddress(/^start_page = .*$/m, '')).toMatchObject({
    isUsual: true,
    use: { host: '127.0.0.1', port: 3_020 },
  });
  expect(getAddress(/^native_denom/m, 'start_page = ""\nnative_denom')).toBeUndefined();
  expect(() => getAddress(/^start_page = ""/m, 'start_page = "3000"')).toThrow(
    'expected host:port, or "" for none, got "3000"',
  );
  const { notices, running } = await started('start_page = ""');
  expect([running.startPage, notices]).toEqual([undefined, []]);
});

// Defect: `switchyard up` found no start page of an instance that runs if its port was 0 or `networks-config.toml` was
// edited since
test('up names the start page of an instance that runs, whatever its files have now', async () => {
  const { running, url } = await started('start_page = "127.0.0.1:0"');
  const { home, name, networks } = running.instance.paths;
  writeFileSync(networks, readFileSync(networks, 'utf8').replace('start_page = "127.0.0.1:0"', 'start_page = ""'));
  const args = ['up', '--home', home, '--instance', name, '--no-open'];
  const { stdout } = await runWith((cli) => switchyard(cli, args), args);
  expect(stdout).toBe(`instance ${name} runs, and its start page is ${url}\n`);
});
