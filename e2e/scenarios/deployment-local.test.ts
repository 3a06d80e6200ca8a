import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dave } from '@switchyard/network/accounts';
import { type Hex, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deployedRollup } from '../support/deployed-rollup.ts';
import { builtExample } from '../support/example-program.ts';
import { becomesFirm, firmStops } from '../support/firm-blocks.ts';
import { makeFront } from '../support/front.ts';
import { createNetwork, freeOffset, makeEmptyBlocks, type Network, root, run, until } from '../support/network.ts';

/** A rollup from its manifest as processes of this machine, on a sequencer of this machine; its users come through the proxy. */
const IDS = { cosmic: 90_210, nova: 90_211, posted: 90_213, external: 90_214 } as const;
type Name = keyof typeof IDS;
const ALICE_KEY = '2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90';
const COINS = parseEther('100');
const [BOB, BOB_KEY] = [
  'astria1yf56efahcq786pe5t7paknat40g6q4tsvqtql2',
  'b70fd3b99cab2d98dbd73602deb026b9cdc9bb7b85d35f0bbb81b17c78923dd0',
];
const [CAROL, CAROL_KEY] = [
  'astria1f6yydwp23ucl6kfxt2gqt9vufgpsl3zvz5hwxk',
  '0e951afdcbefc420fe6f71b82b0c28c11eb6ee5d95be0886ce9dbf6fa512debc',
];
const PARTS = ['composer', 'conductor', 'evm', 'explorer', 'faucet', 'proxy'];

const faucetKey = generatePrivateKey();
const userKey = generatePrivateKey();
const user = privateKeyToAddress(userKey);
const recipient = privateKeyToAddress(generatePrivateKey());

describe('a rollup on this machine', () => {
  const work = mkdtempSync(join(tmpdir(), 'switchyard-local-'));
  let network: Network;
  let port: number;

  const switchyard = (...args: string[]) =>
    run(
      process.execPath,
      [join(root, 'packages', 'cli', 'bin', 'switchyard.mjs'), ...args],
      {
        SWITCHYARD_HOME: join(work, 'home'),
        SEQUENCER_PRIV_KEY: ALICE_KEY,
        ROLLUP_FAUCET_PRIV_KEY: faucetKey,
        ROLLUP_WITHDRAWER_PRIV_KEY: CAROL_KEY,
      },
      work,
    );
  /** @throws with its output, when it fails. */
  const succeed = async (...args: string[]) => {
    const ran = await switchyard(...args);
    if (ran.status !== 0) throw new Error(`${args.join(' ')}: ${ran.stdout}${ran.stderr}`);
    return ran;
  };
  const deployment = (verb: string, ...args: string[]) =>
    succeed('rollup', 'deployment', verb, '--target', 'local', ...args);
  const getFile = (name: Name) => join(work, `${name}-rollup-conf.yaml`);
  const place = (name: string) => join(work, 'home', 'deployments', name);
  const rollup = (name: Name, at = port) => deployedRollup(makeFront('127.0.0.1', at), name, IDS[name]);
  const describeManifest = (name: Name, ...more: string[]) =>
    succeed(
      ...['rollup', 'config', 'create', '--config', getFile(name), '--rollup.name', name],
      ...['--rollup.network-id', String(IDS[name]), '--sequencer.rpc', network.url('rpc')],
      ...['--set', `config.sequencer.grpc=${network.url('grpc')}`],
      ...[
        '--rollup.genesis-accounts',
        [faucetKey, userKey].map((key) => `${privateKeyToAddress(key)}:${COINS}`).join(),
      ],
      ...more,
    );
  const makePids = (name: string): Record<string, number> => {
    const { tool, services } = JSON.parse(readFileSync(join(place(name), 'run.json'), 'utf8'));
    const entries = services.map(({ name: service, pid }: { name: string; pid: number }) => [service, pid]);
    return { tool: tool.pid, ...Object.fromEntries(entries) };
  };
  const transfer = async (name: Name, key: Hex, to: Hex, value: bigint) => {
    const { reader, getWallet } = rollup(name);
    const hash = await getWallet(key).sendTransaction({ to, value });
    const { status } = await reader.waitForTransactionReceipt({ hash });
    expect(status).toBe('success');
  };
  const create = (name: Name, ...more: string[]) =>
    deployment('create', '--config', getFile(name), '--port', String(port), ...more);

  beforeAll(async () => {
    network = await createNetwork({ init: ['--template', 'empty'] });
    const sequencerGenesis = join(network.home, network.instance, 'config', 'genesis.json');
    const chain = JSON.parse(readFileSync(sequencerGenesis, 'utf8'));
    chain.app_state.accounts.push({ ...chain.app_state.accounts[0], asset: 'utia' });
    writeFileSync(sequencerGenesis, JSON.stringify(chain));
    // Blocks become firm, and cease to, while no transaction is sent.
    makeEmptyBlocks(network, 500);
    await network.start();
    port = 8_400 + ((await freeOffset()) % 1_000);
    await until('the sequencer has a few blocks', async () => {
      const { stdout } = await succeed('sequencer', 'blockheight', 'get', '--sequencer-url', network.url('rpc'));
      return Number(/\d+/.exec(stdout)?.[0]) >= 3 ? true : undefined;
    });
  });

  afterAll(async () => {
    for (const name of [...Object.keys(IDS), 'token'])
      if (existsSync(place(name)))
        await switchyard('rollup', 'deployment', 'delete', name, '--volumes', '--target', 'local');
    await network?.dispose();
    rmSync(work, { recursive: true, force: true });
  });

  test('is created, and its four names answer on one port', async () => {
    await describeManifest('cosmic');
    const { stdout } = await create('cosmic');
    for (const name of ['blockscout', 'faucet', 'executor'])
      expect(stdout).toContain(`http://${name}.cosmic.localhost:${port}`);
    const { reader, host } = rollup('cosmic');
    expect(await reader.getChainId()).toBe(IDS.cosmic);
    expect((await reader.getBlock({ blockNumber: 0n })).number).toBe(0n);
    expect(await reader.getBalance({ address: user })).toBe(COINS);
    const front = makeFront('127.0.0.1', port);
    for (const part of ['blockscout', 'faucet']) {
      const { status, text } = await front.get(host(part), '/');
      expect([part, status, text.slice(0, 15).toLowerCase()]).toEqual([part, 200, '<!doctype html>']);
    }
    expect(await front.get('elsewhere.localhost', '/')).toMatchObject({ status: 404 });
    expect(await front.get(`127.0.0.1:${port}`, '/')).toMatchObject({ status: 404 });
  });

  test('the account of the faucet pays, by transfer and by claim', async () => {
    await transfer('cosmic', faucetKey, recipient, parseEther('1'));
    const { reader, host } = rollup('cosmic');
    expect(await reader.getBalance({ address: recipient })).toBe(parseEther('1'));
    const claimed = await makeFront('127.0.0.1', port).post(host('faucet'), '/api/claim', { address: recipient });
    expect(claimed).toMatchObject({ status: 200 });
    await until('the claim is paid', async () =>
      (await reader.getBalance({ address: recipient })) > parseEther('1') ? true : undefined,
    );
  });

  test('keys are in files of its owner alone, and nowhere in what can be read by others', () => {
    for (const part of ['composer', 'faucet']) {
      const { mode } = statSync(join(place('cosmic'), 'config', `${part}-key`));
      expect(mode & 0o077).toBe(0);
    }
    const text = readFileSync(join(place('cosmic'), 'networks-config.toml'), 'utf8');
    for (const key of [ALICE_KEY, faucetKey.slice(2)]) expect(text).not.toContain(key);
  });

  test('status, list and logs show its parts', async () => {
    const { stdout } = await deployment('status', 'cosmic');
    for (const part of PARTS) expect(stdout).toMatch(new RegExp(`^${part} +ready`, 'm'));
    expect((await deployment('list')).stdout).toMatch(/^cosmic .* running +\d+$/m);
    expect(
      (await deployment('logs', 'cosmic', '--lines', '5', 'evm')).stdout.trim().split('\n').length,
    ).toBeLessThanOrEqual(5);
  });

  test('a killed process comes back; after all were killed, create starts them again, with the chain', async () => {
    process.kill(makePids('cosmic').evm ?? 0, 'SIGKILL');
    const { reader } = rollup('cosmic');
    await until('it answers again', () => reader.getBalance({ address: recipient }), 60_000, 200);
    const all = makePids('cosmic');
    for (const pid of Object.values(all)) process.kill(pid, 'SIGKILL');
    expect((await deployment('list')).stdout).toMatch(/^cosmic .* stopped/m);
    await create('cosmic');
    expect(makePids('cosmic').tool).not.toBe(all.tool);
    expect(await reader.getBalance({ address: recipient })).toBeGreaterThan(parseEther('1'));
    await transfer('cosmic', userKey, recipient, 1n);
  });

  test('an edited manifest starts it with the new settings; one with another genesis is refused', async () => {
    const before = makePids('cosmic');
    await create('cosmic');
    expect(makePids('cosmic')).toEqual(before);
    await succeed('rollup', 'config', 'edit', 'global.logLevel', 'info', '--config', getFile('cosmic'));
    await create('cosmic');
    expect(makePids('cosmic').tool).not.toBe(before.tool);
    const text = readFileSync(getFile('cosmic'), 'utf8');
    writeFileSync(getFile('cosmic'), text.replaceAll(COINS.toString(), (COINS + 1n).toString()));
    const { status, stderr } = await switchyard(
      ...['rollup', 'deployment', 'create', '--target', 'local', '--config', getFile('cosmic')],
    );
    expect([status, stderr]).toEqual([1, expect.stringMatching(/rollup cosmic has a chain with another genesis in /)]);
    writeFileSync(getFile('cosmic'), text);
  });

  test('a second rollup runs beside it, on a port of its own', async () => {
    await describeManifest('nova');
    const taken = await switchyard(
      ...['rollup', 'deployment', 'create', '--target', 'local', '--config', getFile('nova'), '--port', String(port)],
    );
    expect([taken.status, taken.stderr]).toEqual([1, expect.stringContaining(`--port: something listens on ${port}`)]);
    const { stdout } = await deployment('create', '--config', getFile('nova'));
    const [, other] = /executor\.nova\.localhost:(\d+)/.exec(stdout) ?? [];
    expect(await rollup('nova', Number(other)).reader.getChainId()).toBe(IDS.nova);
    expect(await rollup('cosmic').reader.getChainId()).toBe(IDS.cosmic);
  });

  test('firm blocks come from the local layer, where a relayer of its own posts them, and through a node elsewhere', async () => {
    const level = ['--set', 'config.rollup.executionCommitLevel=SoftAndFirm'];
    await describeManifest('posted', '--da-node.kind', 'local', ...level);
    const { stdout } = await deployment('create', '--config', getFile('posted'));
    const at = Number(/executor\.posted\.localhost:(\d+)/.exec(stdout)?.[1]);
    const posted = rollup('posted', at);
    const { reader, host } = posted;
    await becomesFirm(posted, userKey);
    // Its explorer asks the relayer if the layer has the block.
    await until('the explorer shows the height of the layer', async () => {
      const { text } = await makeFront('127.0.0.1', at).get(
        host('blockscout'),
        '/v1/rollups/posted-chain/evm/blocks/1',
      );
      return JSON.parse(text).layer?.height > 0 || undefined;
    });
    const { heights } = JSON.parse((await deployment('status', 'posted', '--json')).stdout);
    expect(heights.firm).toBeGreaterThanOrEqual(1);
    expect(heights.soft).toBeGreaterThanOrEqual(heights.firm);
    expect(heights).toMatchObject({ layer: expect.any(Number), posted: expect.any(Number) });
    const status = (await deployment('status', 'posted')).stdout;
    expect(status).toMatch(/^soft \d+, firm \d+, layer height \d+, posted sequencer block \d+$/m);
    for (const part of ['da', 'relayer']) expect(status).toMatch(new RegExp(`^${part} +ready`, 'm'));

    // Another rollup takes this layer as a node elsewhere; the same relayer posts its blocks.
    const config = readFileSync(join(place('posted'), 'networks-config.toml'), 'utf8');
    const [, layer = ''] = /svc_conductor_celestia_node_http_url = "(\S+)"/.exec(config) ?? [];
    const node = ['--da-node.kind', 'external', '--da-node.url', layer, '--da-node.network', 'local-da'];
    await describeManifest('external', ...node, ...level);
    const other = await deployment('create', '--config', getFile('external'));
    const elsewhere = Number(/executor\.external\.localhost:(\d+)/.exec(other.stdout)?.[1]);
    await becomesFirm(rollup('external', elsewhere), userKey);

    // Without the relayer soft blocks continue, and firm ones end at the last posted block.
    process.kill(makePids('posted').relayer ?? 0, 'SIGSTOP');
    try {
      await firmStops(reader);
    } finally {
      process.kill(makePids('posted').relayer ?? 0, 'SIGCONT');
    }
    await becomesFirm(posted, userKey);
    await deployment('delete', 'external', '--volumes');
    await deployment('delete', 'posted', '--volumes');
  }, 300_000);

  test('a rollup of an author runs its own program: a deposit, an action, a withdrawal, a kill', async () => {
    const project = await builtExample('token', 'deployment-local');
    const genesis = JSON.parse(readFileSync(join(project, 'genesis.json'), 'utf8'));
    const [bridge, other] = [{ bech32m: CAROL }, { bech32m: dave.address }];
    writeFileSync(
      join(work, 'genesis.json'),
      JSON.stringify({
        ...{ ...genesis, rollup_name: 'token-chain', bridge_accounts: [bridge, other] },
        withdrawals: [
          { bridge_account: bridge, asset: 'ntia', minimum: 100 },
          { bridge_account: other, asset: 'utia', minimum: 100 },
        ],
      }),
    );
    const sequencer = (key: string, ...args: string[]) =>
      succeed('sequencer', ...args, '--private-key', key, '--sequencer-url', network.url('rpc'));
    await sequencer(ALICE_KEY, 'transfer', CAROL, '--amount', '50');
    await sequencer(CAROL_KEY, 'init-bridge-account', '--rollup-name', 'token-chain');
    await sequencer(ALICE_KEY, 'transfer', dave.address, '--amount', '50');
    await sequencer(dave.key, 'init-bridge-account', '--rollup-name', 'token-chain', '--asset', 'utia');
    const file = join(work, 'token-rollup-conf.yaml');
    const created = await succeed(
      ...['rollup', 'config', 'create', '--config', file, '--rollup.name', 'token', '--rollup.kind', 'defined'],
      ...['--rollup.genesis-file', join(work, 'genesis.json'), '--rollup.program', join(project, 'bin', 'token.mjs')],
      ...['--sequencer.rpc', network.url('rpc'), '--set', `config.sequencer.grpc=${network.url('grpc')}`],
      ...['--withdrawer.enabled', 'true', '--set', 'faucet.enabled=true', 'faucet.asset=coin'],
    );
    expect(created.stderr).toContain('rollup_name is left out: config.rollup.chainId states it');
    const payers = [CAROL_KEY, dave.key].flatMap((key, place) => {
      const keyFile = join(work, `payer-${place}.key`);
      writeFileSync(keyFile, key, { mode: 0o600 });
      return ['--withdrawer-private-key-file', keyFile];
    });
    const { stdout } = await deployment('create', '--config', file, '--timeout', '60', ...payers);
    const at = Number(/api\.token\.localhost:(\d+)/.exec(stdout)?.[1]);
    const front = makeFront('127.0.0.1', at);
    const status = async () => {
      const { text } = await front.get('api.token.localhost', '/v1/status');
      return JSON.parse(text);
    };
    expect(await status()).toMatchObject({ rollup: 'token-chain', sequencerChainId: 'sequencer-test-chain-0' });
    const [, url = ''] =
      /^rest_addr = "(\S+)"$/m.exec(readFileSync(join(place('token'), 'networks-config.toml'), 'utf8')) ?? [];
    const token = async (...args: string[]) => {
      const program = [join(project, 'bin', 'token.mjs'), ...args, '--url', `http://${url}`];
      const ran = await run(process.execPath, program, { ROLLUP_PRIVATE_KEY: BOB_KEY });
      if (ran.status !== 0) throw new Error(`${args.join(' ')}: ${ran.stdout}${ran.stderr}`);
      return ran.stdout;
    };
    const balance = async () => {
      const { status: code, text } = await front.get('api.token.localhost', `/v1/balance?account=${BOB}&asset=ntia`);
      return code === 200 ? JSON.parse(text).amount : code;
    };

    await sequencer(ALICE_KEY, 'bridge-lock', CAROL, '--amount', '900', '--destination-chain-address', BOB);
    await until('the deposit is credited', async () => (await balance()) === '900' || undefined, 60_000, 300);
    expect(await token('submit', 'transfer', '--to', CAROL, '--asset', 'ntia', '--amount', '100')).toMatch(
      /^(executed|firm)/,
    );
    expect(await token('submit', 'withdraw', '--to', BOB, '--asset', 'ntia', '--amount', '250')).toMatch(
      /^(executed|firm)/,
    );
    await until('the withdrawal, less the fee of its payment, is paid', async () => {
      const held = await succeed('sequencer', 'balances', BOB, '--json', '--sequencer-url', network.url('rpc'));
      return held.stdout.includes('"238"') || undefined;
    });
    // Its explorer knows it by its API.
    await until('the explorer shows the rollup', async () => {
      const { text } = await makeFront('127.0.0.1', at).get('blockscout.token.localhost', '/v1/rollups/token-chain');
      return JSON.parse(text).name === 'token-chain' || undefined;
    });

    process.kill(makePids('token').rollup ?? 0, 'SIGKILL');
    await until('it answers again', async () => (await balance()) === '550' || undefined, 60_000, 300);
    await until('the processes that call it are ready again', async () => {
      const { stdout: shown } = await deployment('status', 'token');
      const parts = ['rollup', 'withdrawer', 'withdrawer-2', 'faucet', 'conductor'];
      return parts.every((part) => new RegExp(`^${part} +ready`, 'm').test(shown)) || undefined;
    });
    expect((await deployment('list')).stdout).toMatch(/^token .* running +\d+$/m);
    await deployment('delete', 'token', '--volumes');
    expect(existsSync(place('token'))).toBe(false);
  }, 180_000);

  test('a sequencer that is absent, of another chain or at a lower height is refused before anything is written', async () => {
    const refused = async (...settings: readonly (readonly [string, string])[]) => {
      const file = join(work, 'wrong.yaml');
      writeFileSync(file, readFileSync(getFile('cosmic')).toString().replace('name: cosmic', 'name: wrong'));
      for (const [key, value] of settings) await succeed('rollup', 'config', 'edit', key, value, '--config', file);
      const { status, stderr } = await switchyard(
        'rollup',
        'deployment',
        'create',
        '--target',
        'local',
        '--config',
        file,
      );
      expect([status, existsSync(join(work, 'home', 'deployments', 'wrong'))]).toEqual([1, false]);
      return stderr;
    };
    const name = ['config.rollup.chainId', 'wrong-chain'] as const;
    expect(await refused(name, ['config.sequencer.chainId', 'other'])).toMatch(
      /config\.sequencer\.chainId: expected sequencer-test/,
    );
    expect(await refused(name, ['config.sequencer.initialBlockHeight', '1000000'])).toMatch(
      /initialBlockHeight: expected at most \d+/,
    );
    expect(await refused(name, ['config.sequencer.rpc', 'http://127.0.0.1:9'])).toMatch(/127\.0\.0\.1:9/);
  });

  test('delete stops it and keeps its chain, and with --volumes leaves nothing', async () => {
    const { stderr } = await deployment('delete', 'cosmic');
    expect(stderr).toContain(place('cosmic'));
    await create('cosmic');
    expect(await rollup('cosmic').reader.getBalance({ address: recipient })).toBeGreaterThan(parseEther('1'));
    await deployment('delete', 'cosmic', '--volumes');
    expect(existsSync(place('cosmic'))).toBe(false);
    expect((await deployment('list')).stdout).not.toContain('cosmic');
    const absent = await switchyard('rollup', 'deployment', 'status', 'cosmic', '--target', 'local');
    expect([absent.status, absent.stderr]).toEqual([1, expect.stringMatching(/^no rollup cosmic was deployed/)]);
  });
});
