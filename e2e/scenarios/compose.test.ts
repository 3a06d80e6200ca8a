import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packImage } from '../support/cluster.ts';
import { deployedRollup } from '../support/deployed-rollup.ts';
import { type Docker, dockerProblem, startDocker } from '../support/docker.ts';
import { becomesFirm, firmStops } from '../support/firm-blocks.ts';
import { createNetwork, root, until } from '../support/network.ts';

/** deploy/compose.yaml as committed, in a Docker engine: a rollup and its sequencer on one machine. */
const MINUTE_MS = 60_000;
/** User of the image. */
const USER = 65_532;
/** Public test keys: of alice, of the relayer, and of the account in the manifest next to the file. */
const SEQUENCER_KEY = '2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90';
const RELAYER_KEY = '2a3f93316a18aa8ac78ed96b10b713ee71315cf3ebade8f75669ec55f1ecf4be';
const FAUCET_KEY = '59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d';
const PORTS = { executor: 8_545, faucet: 3_031, blockscout: 3_033, sequencer: 26_657 } as const;
const KEPT = ['sequencer', 'evm', 'composer', 'conductor', 'da', 'relayer', 'faucet', 'explorer'];

interface Inspected {
  readonly Name: string;
  readonly Config: { readonly User: string };
  readonly HostConfig: Readonly<Record<string, unknown>>;
  readonly NetworkSettings: { readonly Ports: Readonly<Record<string, readonly { readonly HostIp: string }[] | null>> };
  readonly State: { readonly Health?: { readonly Status: string } };
}

describe.skipIf(dockerProblem() !== undefined)('a rollup with Docker Compose', () => {
  let work: string;
  let engine: Docker;

  const compose = (...args: string[]) =>
    engine.compose('--project-name', 'cosmic', '--file', join(work, 'compose.yaml'), ...args);
  const inspected = async (): Promise<readonly Inspected[]> => {
    const ids = (await compose('ps', '--quiet')).split('\n').filter((id) => id !== '');
    return JSON.parse(await engine.docker('inspect', ...ids));
  };
  const healthy = () =>
    until(
      'all services are healthy',
      async () => {
        const states = (await inspected()).flatMap(({ Name, State }) =>
          State.Health === undefined ? [] : [[Name, State.Health.Status] as const],
        );
        if (states.length === 8 && states.every(([, status]) => status === 'healthy')) return true;
        throw new Error(JSON.stringify(states));
      },
      2 * MINUTE_MS,
      500,
    );
  const ask = (part: keyof typeof PORTS, path: string, body?: unknown) => engine.ask(PORTS[part], path, body);
  const rollup = deployedRollup({ post: (_, path, body) => ask('executor', path, body) }, 'cosmic', 90_210);
  const { reader, getWallet } = rollup;
  const pay = async () => {
    const to = privateKeyToAddress(generatePrivateKey());
    const sent = () => getWallet(`0x${FAUCET_KEY}`).sendTransaction({ to, value: parseEther('1') });
    const hash = await until('a transaction is taken', sent, MINUTE_MS, 200);
    await reader.waitForTransactionReceipt({ hash, timeout: MINUTE_MS });
    expect(await reader.getBalance({ address: to })).toBe(parseEther('1'));
    return hash;
  };

  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), 'switchyard-compose-'));
    for (const name of ['compose.yaml', 'compose'])
      cpSync(join(root, 'deploy', name), join(work, name), { recursive: true });
    const network = await createNetwork({ init: ['--template', 'empty'] });
    const config = join(network.home, network.instance, 'config');
    const secrets = join(work, 'compose', 'secrets');
    mkdirSync(secrets, { recursive: true });
    cpSync(join(config, 'genesis.json'), join(work, 'compose', 'sequencer_genesis.json'));
    chmodSync(join(work, 'compose', 'sequencer_genesis.json'), 0o644);
    cpSync(join(config, 'priv_validator_key.json'), join(secrets, 'validator-key'));
    await network.dispose();
    writeFileSync(join(secrets, 'composer-key'), SEQUENCER_KEY);
    writeFileSync(join(secrets, 'faucet-key'), FAUCET_KEY);
    writeFileSync(join(secrets, 'relayer-key'), RELAYER_KEY);
    for (const name of ['validator-key', 'composer-key', 'faucet-key', 'relayer-key']) {
      chmodSync(join(secrets, name), 0o600);
      chownSync(join(secrets, name), USER, USER);
    }
    const image = await packImage(work);
    engine = await startDocker();
    await engine.docker('load', '--input', image.file);
    rmSync(image.file);
    await compose('up', '--detach');
    await healthy();
  }, 5 * MINUTE_MS);

  afterAll(async () => {
    await engine?.stop();
    rmSync(work, { recursive: true, force: true });
  }, MINUTE_MS);

  test(
    'runs transactions, claims and pages',
    async () => {
      const hash = await pay();
      const claimant = privateKeyToAddress(generatePrivateKey());
      expect(await ask('faucet', '/api/claim', { address: claimant })).toMatchObject({ status: 200 });
      const isPaid = async () => (await reader.getBalance({ address: claimant })) > 0n || undefined;
      await until('the claim is paid', isPaid, MINUTE_MS, 200);
      expect(await ask('blockscout', '/')).toMatchObject({ status: 200, text: expect.stringContaining('<html') });
      expect(await ask('sequencer', '/status')).toMatchObject({ status: 200 });
      expect((await reader.getTransactionReceipt({ hash })).status).toBe('success');
    },
    2 * MINUTE_MS,
  );

  test(
    'blocks are firm once the relayer has posted them to the local layer, which nothing outside reaches',
    async () => {
      await becomesFirm(rollup, `0x${FAUCET_KEY}`);
      await compose('stop', 'relayer');
      await firmStops(reader);
      await compose('start', 'relayer');
      await becomesFirm(rollup, `0x${FAUCET_KEY}`);
      await healthy();
    },
    4 * MINUTE_MS,
  );

  test('no container may more than it needs, and each port is one of loopback', async () => {
    const all = await inspected();
    expect(all).toHaveLength(9);
    for (const { Name, Config, HostConfig, NetworkSettings } of all) {
      expect([Name, Config.User, HostConfig]).toEqual([
        Name,
        `${USER}:${USER}`,
        expect.objectContaining({
          ...{ ReadonlyRootfs: true, Privileged: false, CapDrop: ['ALL'], CapAdd: null },
          SecurityOpt: ['no-new-privileges:true'],
        }),
      ]);
      const bound = Object.values(NetworkSettings.Ports).flatMap((each) => each ?? []);
      expect(new Set(bound.map(({ HostIp }) => HostIp)).size).toBeLessThanOrEqual(1);
      for (const { HostIp } of bound) expect(HostIp).toBe('127.0.0.1');
    }
  });

  test(
    'continues after its node was restarted, and after it was taken down, with the same chain',
    async () => {
      const hash = await pay();
      await compose('restart', 'evm');
      await pay();
      const { hash: first } = await reader.getBlock({ blockNumber: 1n });
      await compose('down');
      const volumes = await engine.docker('volume', 'ls', '--format', '{{.Name}}');
      expect(volumes.trim().split('\n').sort()).toEqual(KEPT.map((name) => `cosmic-${name}`).sort());
      await compose('up', '--detach');
      await pay();
      expect((await reader.getBlock({ blockNumber: 1n })).hash).toBe(first);
      expect((await reader.getTransactionReceipt({ hash })).status).toBe('success');
      await healthy();
    },
    4 * MINUTE_MS,
  );
});
