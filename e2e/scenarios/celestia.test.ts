import { createHash, createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSigner, formatAddress, fromHex } from '@switchyard/protocol';
import { freePort } from '@switchyard/service/testing';
import { privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  bridgeAddress,
  bridgeHead,
  bridgeId,
  bridgeObjects,
  CELESTIA_CHAIN,
  celestiaFiles,
  firstBlockHash,
  imageNames,
  makeGenesis,
  validatorObjects,
} from '../support/celestia.ts';
import { endLimit, killBridge, limitBytes } from '../support/celestia-faults.ts';
import { type Cluster, clusterProblem, type Image, packImage, startCluster } from '../support/cluster.ts';
import { lastOutput } from '../support/cluster-output.ts';
import { sequencerObjects } from '../support/cluster-sequencer.ts';
import { type Restartable, relayerTo } from '../support/da-processes.ts';
import { deployedRollup } from '../support/deployed-rollup.ts';
import { createNetwork, root, run, until } from '../support/network.ts';
import { ask as askUrl } from '../support/submitting.ts';

/** The light node of a deployment, and its firm blocks, on a Celestia network of a validator and a bridge node in the same cluster. */
const NAMESPACE = 'celestia-test';
const POD = 'cosmic-da-light-0';
const BRIDGE_POD = 'celestia-bridge-0';
const SEQUENCER = 'sequencer-test';
const SEQUENCER_CHAIN = 'sequencer-test-chain-0';
const NETWORK_ID = 90_210;
/** Keys of the rollup's accounts. */
const keys = { ROLLUP_FAUCET_PRIV_KEY: 'c1'.repeat(32), SEQUENCER_PRIV_KEY: 'c2'.repeat(32) };
const MINUTE_MS = 60_000;
const files = celestiaFiles();

/** Answer of the node's JSON-RPC, to the extent read here. */
interface Answer {
  readonly result?: { readonly ID?: string; readonly header?: { readonly height: string; readonly chain_id: string } };
  readonly error?: { readonly message: string };
}

interface Listed {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: { readonly template?: { readonly spec: { readonly containers: readonly Probed[] } } };
}

interface Probed {
  readonly livenessProbe?: { readonly failureThreshold: number };
}

/** Like production, but for patience: minutes are too long for a test. */
function impatient(object: Listed & object): object {
  if (object.kind === 'ConfigMap') return { ...object, data: { ...object.data, DA_LIGHT_MAX_STALL: '10' } };
  const { template } = object.spec ?? {};
  if (template === undefined) return object;
  const containers = template.spec.containers.map((container) =>
    container.livenessProbe === undefined
      ? container
      : { ...container, livenessProbe: { ...container.livenessProbe, failureThreshold: 2 } },
  );
  return { ...object, spec: { ...object.spec, template: { ...template, spec: { ...template.spec, containers } } } };
}

describe.skipIf(files === undefined || clusterProblem() !== undefined)('the light node of a deployment', () => {
  let work: string;
  let cluster: Cluster;
  let image: Image;

  const kubectl = (...args: string[]) => cluster.kubectl('--namespace', NAMESPACE, ...args);
  const getAddress = (pod: string) => kubectl('get', 'pod', pod, '-o', 'jsonpath={.status.podIP}');
  const isReady = (pod: string, within: string) =>
    kubectl('wait', '--for=condition=Ready', `pod/${pod}`, `--timeout=${within}`);
  const getUid = (pod: string) => kubectl('get', 'pod', pod, '-o', 'jsonpath={.metadata.uid}');
  const getRestarts = async (pod: string) =>
    Number(await kubectl('get', 'pod', pod, '-o', 'jsonpath={.status.containerStatuses[0].restartCount}'));
  const head = async () => Number(JSON.parse(await kubectl('exec', POD, '--', '/bin/da-light', 'head')).height);

  const bin = join(root, 'packages', 'cli', 'bin', 'switchyard.mjs');

  const switchyard = async (...args: string[]) => {
    const env = { ...keys, KUBECONFIG: cluster.kubeconfig, HOME: work };
    const ran = await run(
      process.execPath,
      [bin, 'rollup', ...args, '--config', join(work, 'cosmic-rollup-conf.yaml')],
      env,
    );
    if (ran.status !== 0) throw new Error(`${ran.stdout}${ran.stderr}`);
    return ran.stdout;
  };

  /** The objects that `rollup deployment create --dry-run` prints for a manifest on this network, limited to those of the light node. */
  async function lightNodeObjects(bridge: string, hash: string): Promise<object[]> {
    const settings = {
      'da-node.config.network': CELESTIA_CHAIN,
      'da-node.config.genesisHash': hash,
      'da-node.config.bridges': bridge,
      'da-node.config.syncFromHash': hash,
      'da-node.config.maxHeadAge': '10',
      'da-node.storageSize': '1Gi',
      'global.namespace': NAMESPACE,
      'config.rollup.executionCommitLevel': 'SoftAndFirm',
      'config.composer.feeAsset': 'ntia',
    };
    await switchyard(
      ...['config', 'create', '--rollup.name', 'cosmic', '--sequencer.initial-block-height', '2'],
      ...['--rollup.genesis-accounts', `${privateKeyToAddress(`0x${keys.ROLLUP_FAUCET_PRIV_KEY}`)}:${10n ** 20n}`],
      ...['--rollup.network-id', String(NETWORK_ID), '--sequencer.chain-id', SEQUENCER_CHAIN],
      ...['--sequencer.rpc', `http://sequencer.${SEQUENCER}.svc:26657`],
      ...Object.entries(settings).flatMap(([key, value]) => ['--set', `${key}=${value}`]),
    );
    const printed: (Listed & object)[] = JSON.parse(
      await switchyard('deployment', 'create', '--dry-run', '--show-secrets', '--json'),
    );
    return printed
      .filter(({ kind, metadata: { name } }) => kind === 'ServiceAccount' || name.startsWith('cosmic-da-light'))
      .map(impatient);
  }

  /** One call of the node's JSON-RPC, with a token or without. */
  async function ask(method: string, token?: string): Promise<Answer> {
    const response = await fetch(`http://${await getAddress(POD)}:26658`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }),
    });
    return (await response.json()) as Answer;
  }

  /** The error of a scenario has the end of the nodes' logs, also of the logs before their last start. */
  const explained = (scenario: () => Promise<void>) => async () => {
    try {
      await scenario();
    } catch (error) {
      throw new Error(`${String(error)}\n${await lastOutput(cluster, NAMESPACE, [POD, BRIDGE_POD])}`, { cause: error });
    }
  };

  /** A value of the Secret with which the node is reached. */
  async function secret(key: string): Promise<string> {
    const value = await kubectl('get', 'secret', 'cosmic-da-light-access', '-o', `jsonpath={.data.${key}}`);
    return Buffer.from(value, 'base64').toString();
  }

  /** Which node it is, which only an administrator may ask. */
  async function identity(): Promise<string | undefined> {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = { Allow: ['public', 'read', 'write', 'admin'], Nonce: '', ExpiresAt: '0001-01-01T00:00:00Z' };
    const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
    const key = Buffer.from(await secret('jwt-secret'), 'hex');
    const signature = createHmac('sha256', key).update(signed).digest('base64url');
    return (await ask('p2p.Info', `${signed}.${signature}`)).result?.ID;
  }

  beforeAll(async () => {
    if (files === undefined) return;
    work = mkdtempSync(join(tmpdir(), 'switchyard-celestia-test-'));
    const names = imageNames(files);
    const [home, started, packed] = await Promise.all([makeGenesis(), startCluster(), packImage(work)]);
    [cluster, image] = [started, packed];
    await cluster.load(files.lightImage, files.appImage, image.file);
    await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    await cluster.apply(...validatorObjects(NAMESPACE, names.app, home));
    const hash = await until(
      'the validator makes a block',
      async () => firstBlockHash(await getAddress('celestia-validator-0')),
      2 * MINUTE_MS,
      500,
    );
    await cluster.apply(...bridgeObjects(NAMESPACE, names.light, hash));
    await until('the bridge node serves', async () => bridgeId(await getAddress(BRIDGE_POD)), 2 * MINUTE_MS, 500);
    const id = await bridgeId(await getAddress(BRIDGE_POD));
    const objects = await lightNodeObjects(bridgeAddress(NAMESPACE, id), hash);
    await cluster.apply(...objects);
  }, 8 * MINUTE_MS);

  afterAll(async () => {
    await cluster?.stop();
    rmSync(work, { recursive: true, force: true });
  }, MINUTE_MS);

  test(
    'becomes ready, and its head advances',
    explained(async () => {
      await until('there is a pod', () => getAddress(POD), MINUTE_MS, 200);
      await isReady(POD, '180s');
      const first = await head();
      expect(first).toBeGreaterThan(0);
      await until('its head advances', async () => ((await head()) > first + 1 ? true : undefined), MINUTE_MS, 500);
    }),
    5 * MINUTE_MS,
  );

  test('its head is in the status of the deployment', async () => {
    const before = await head();
    const command = [bin, 'rollup', 'deployment', 'status', 'cosmic', '--namespace', NAMESPACE, '--json'];
    const { status, stdout, stderr } = await run(process.execPath, command, { KUBECONFIG: cluster.kubeconfig });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const [part, ...others] = JSON.parse(stdout).parts;
    expect([part, others]).toEqual([{ name: 'da-light', isReady: true, note: expect.any(String) }, []]);
    const [, shown] = new RegExp(`^pod ${POD}, head (\\d+), \\d+ s old$`).exec(part.note) ?? [];
    expect(Number(shown)).toBeGreaterThanOrEqual(before);
  });

  test('gives headers to who has the token, and nothing to others', async () => {
    const token = await secret('read-token');
    const { result } = await ask('header.LocalHead', token);
    expect(result?.header?.chain_id).toBe(CELESTIA_CHAIN);
    for (const [method, given] of [
      ['header.LocalHead', undefined],
      ['p2p.Info', token],
    ] as const)
      expect((await ask(method, given)).error?.message).toContain('missing permission to invoke');
    // Neither the settings nor the logs of the pod have the token, its secret or the words of the account that it makes.
    const logged = `${await kubectl('logs', POD)}${await kubectl('get', 'configmap,statefulset', '-o', 'json')}`;
    for (const text of [token, await secret('jwt-secret'), 'MNEMONIC']) expect(logged).not.toContain(text);
  });

  test(
    'is the same node after its pod was killed, with the headers that it had',
    explained(async () => {
      const [id, uid, before] = [await identity(), await getUid(POD), await head()];
      expect(id).toMatch(/^12D3Koo/);
      await kubectl('delete', 'pod', POD, '--grace-period=0', '--force');
      await until(
        'another pod has its name',
        async () => ((await getUid(POD)) !== uid ? true : undefined),
        MINUTE_MS,
        200,
      );
      await isReady(POD, '120s');
      expect(await identity()).toBe(id);
      expect(await head()).toBeGreaterThanOrEqual(before);
    }),
    5 * MINUTE_MS,
  );

  test(
    'receives headers again after the bridge node was killed',
    explained(async () => {
      const restarts = await getRestarts(BRIDGE_POD);
      await killBridge(cluster);
      await until(
        'it was started again',
        async () => ((await getRestarts(BRIDGE_POD)) > restarts ? true : undefined),
        MINUTE_MS,
        200,
      );
      const before = await head();
      // It may be restarted: the bridge node announces its head before it serves headers.
      await until(
        'its head advances',
        async () => ((await head()) > before + 5 ? true : undefined),
        4 * MINUTE_MS,
        500,
      );
    }),
    7 * MINUTE_MS,
  );

  test(
    'is not ready while no new headers come, and states why; and ready again afterwards',
    explained(async () => {
      await isReady(POD, '60s');
      const restarts = await getRestarts(POD);
      await kubectl('scale', 'statefulset/celestia-bridge', '--replicas=0');
      await kubectl('wait', '--for=condition=Ready=false', `pod/${POD}`, '--timeout=120s');
      const events = () => kubectl('get', 'events', '--field-selector', `involvedObject.name=${POD}`);
      await until(
        'the reason is among the events',
        async () => (/header \d+ is \S+ old, more than 10 s/.test(await events()) ? true : undefined),
        MINUTE_MS,
        500,
      );
      // It is queried all the same.
      expect((await ask('header.LocalHead', await secret('read-token'))).result?.header?.chain_id).toBe(CELESTIA_CHAIN);
      expect(await getRestarts(POD)).toBe(restarts);
      await kubectl('scale', 'statefulset/celestia-bridge', '--replicas=1');
      await isReady(POD, '240s');
    }),
    7 * MINUTE_MS,
  );

  test(
    'is started again when headers that it has requested do not come, since it would wait for ever',
    explained(async () => {
      const [restarts, address, bridge] = [await getRestarts(POD), await getAddress(POD), await getAddress(BRIDGE_POD)];
      const before = await head();
      await limitBytes(cluster, bridge, address, 0);
      await until(
        'it lacks headers of more than 80 kB',
        async () => ((await bridgeHead(bridge)) > before + 60 ? true : undefined),
        3 * MINUTE_MS,
        500,
      );
      // That alone is no reason: another start would bring no headers.
      expect(await getRestarts(POD)).toBe(restarts);
      // The head arrives, and the first of the headers before.
      await limitBytes(cluster, bridge, address, 40_000);
      const reason = /header \d+ is the newest for \S+, more than 10s, while those up to \d+ are requested/;
      const failsWithReason = async () => {
        const failed = kubectl('exec', POD, '--', '/bin/da-light', 'alive').then(() => '', String);
        return reason.test(await failed) || undefined;
      };
      await until('the probe states why', failsWithReason, 3 * MINUTE_MS, 500);
      await until(
        'it was started again',
        async () => ((await getRestarts(POD)) > restarts ? true : undefined),
        3 * MINUTE_MS,
        500,
      );
      await endLimit(cluster);
      await until(
        'its head advances',
        async () => ((await head()) > before + 70 ? true : undefined),
        2 * MINUTE_MS,
        500,
      );
    }),
    12 * MINUTE_MS,
  );

  test(
    'its rollup has firm blocks, which were posted to the network and read through it',
    explained(async () => {
      const relayer = await sequencerWithRelayer();
      try {
        // Its light node was applied by kubectl.
        await switchyard('deployment', 'create', '--force');
        const { reader } = deployedRollup(cluster, 'cosmic', NETWORK_ID);
        const firm = async () => {
          const { number } = await reader.getBlock({ blockTag: 'finalized' });
          return number > 0n ? number : undefined;
        };
        const first = await until('a block is firm', firm, 2 * MINUTE_MS, 500);
        const { status, body } = await askUrl(`http://${await getAddress('cosmic-evm-0')}:50054/status`);
        expect([status, body]).toEqual([200, expect.objectContaining({ commitLevel: 'SoftAndFirm' })]);
        expect(body.firmLayerHeight).toBeGreaterThan(1);
        // Its header of the network is on the volume, so another pod needs no block that the light node no longer has.
        const uid = await getUid('cosmic-evm-0');
        await kubectl('delete', 'pod', 'cosmic-evm-0');
        await until(
          'another pod',
          async () => ((await getUid('cosmic-evm-0')) !== uid ? true : undefined),
          MINUTE_MS,
          200,
        );
        await isReady('cosmic-evm-0', '120s');
        await until(
          'more blocks are firm',
          async () => (((await firm()) ?? 0n) > first ? true : undefined),
          2 * MINUTE_MS,
          500,
        );
      } finally {
        await relayer.stop();
      }
    }),
    8 * MINUTE_MS,
  );

  /** A sequencer in the cluster, and a relayer on this machine that posts its blocks to the validator. */
  async function sequencerWithRelayer(): Promise<Restartable> {
    const network = await createNetwork({ init: ['--template', 'empty'] });
    const [genesis = '', key = ''] = ['genesis.json', 'priv_validator_key.json'].map((name) =>
      readFileSync(join(network.home, network.instance, 'config', name), 'utf8'),
    );
    await network.dispose();
    const funded = JSON.parse(genesis);
    const payer = formatAddress(createSigner(fromHex(keys.SEQUENCER_PRIV_KEY)).account);
    funded.app_state.accounts.push({ address: { bech32m: payer }, balance: { lo: '1000000000000' } });
    await cluster.apply(
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: SEQUENCER } },
      ...sequencerObjects({
        ...{ namespace: SEQUENCER, host: 'sequencer.localhost', image: image.name },
        ...{ genesis: JSON.stringify(funded), key },
      }),
    );
    const pod = ['get', 'pod', '--namespace', SEQUENCER, '--selector', 'app=sequencer'];
    await cluster.kubectl(
      'wait',
      '--for=condition=Available',
      '--namespace',
      SEQUENCER,
      'deployment/sequencer',
      '--timeout=120s',
    );
    const address = await cluster.kubectl(...pod, '-o', 'jsonpath={.items[0].status.podIP}');
    const keyFile = join(work, 'relayer.key');
    // The account of the genesis that devnet.sh writes.
    writeFileSync(keyFile, createHash('sha256').update('celestia devnet relayer').digest('hex'), { mode: 0o600 });
    const relayer = relayerTo(
      {
        directory: work,
        apiPort: await freePort(),
        sequencer: { grpc: `http://${address}:8080`, rpc: `http://${address}:26657`, chainId: SEQUENCER_CHAIN },
      },
      {
        grpc: `http://${await getAddress('celestia-validator-0')}:9090`,
        chainId: CELESTIA_CHAIN,
        keyFile,
        isPublishedKey: true,
      },
    );
    await relayer.start();
    return relayer;
  }
});
