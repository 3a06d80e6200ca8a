import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cluster, clusterProblem, packImage, startCluster } from '../support/cluster.ts';
import { cometIsThere } from '../support/comet.ts';
import { deployedRollup } from '../support/deployed-rollup.ts';
import { becomesFirm, firmStops, isFirm } from '../support/firm-blocks.ts';
import { type Ran, root, run, until } from '../support/network.ts';

/** A sequencer network of four validators in a cluster of two nodes, and a rollup on it: nothing of it is outside. */
const NAMESPACE = 'sequencer';
const NETWORK_ID = 90_212;
const MINUTE_MS = 60_000;
/** Not the relayer, and not the local layer. */
const NODES = ['--selector', 'app.kubernetes.io/name=sequencer'];

const faucetKey = generatePrivateKey();
const userKey = generatePrivateKey();

describe.skipIf(clusterProblem() !== undefined || !cometIsThere())(
  'a sequencer network in a Kubernetes cluster',
  () => {
    let work: string;
    let cluster: Cluster;
    let layerSettings: string | undefined;

    const switchyard = (...args: string[]): Promise<Ran> => {
      const bin = join(root, 'packages', 'cli', 'bin', 'switchyard.mjs');
      return run(process.execPath, [bin, ...args], { KUBECONFIG: cluster.kubeconfig, HOME: work }, work);
    };
    /** @throws with its output, when it fails. */
    const succeed = async (...args: string[]): Promise<Ran> => {
      const ran = await switchyard(...args);
      if (ran.status !== 0) throw new Error(`${args.join(' ')}: ${ran.stdout}${ran.stderr}`);
      return ran;
    };
    const deployment = (...args: string[]) => succeed('sequencer', 'deployment', ...args);
    const kubectl = (...args: string[]) => cluster.kubectl('--namespace', NAMESPACE, ...args);
    /** Through the ingress. */
    const rpc = async (path: string) => {
      const { status, text } = await cluster.get('rpc.sequencer.localhost', path);
      if (status !== 200) throw new Error(`${path}: ${status} ${text.slice(0, 200)}`);
      return JSON.parse(text).result;
    };
    const height = async () => Number((await rpc('/status')).sync_info.latest_block_height);
    const more = async (blocks: number) => {
      const from = await height();
      await until(
        `${blocks} more blocks`,
        async () => ((await height()) >= from + blocks ? true : undefined),
        MINUTE_MS,
        200,
      );
    };
    const readyPods = async () => {
      const conditions =
        '{range .items[*]}{.metadata.name} {.status.conditions[?(@.type=="Ready")].status}{"\\n"}{end}';
      const printed = await kubectl('get', 'pods', ...NODES, '-o', `jsonpath=${conditions}`);
      return printed.split('\n').flatMap((line) => (line.endsWith(' True') ? line.slice(0, -5) : []));
    };
    const allReady = () =>
      until(
        'four pods are ready',
        async () => ((await readyPods()).length === 4 ? true : undefined),
        2 * MINUTE_MS,
        500,
      );

    beforeAll(async () => {
      work = mkdtempSync(join(tmpdir(), 'switchyard-sequencer-'));
      const comet = join(work, 'cometbft.tar');
      const [image, packed, started] = await Promise.all([
        packImage(work),
        run(process.execPath, [join(root, 'scripts', 'cometbft.mjs'), '--image', '--out', comet]),
        startCluster({ nodes: 2 }),
      ]);
      cluster = started;
      if (packed.status !== 0) throw new Error(packed.stderr);
      await cluster.load(image.file, comet);
      writeFileSync(join(work, 'faucet.key'), faucetKey.slice(2), { mode: 0o600 });
    }, 5 * MINUTE_MS);

    afterAll(async () => {
      await cluster?.stop();
      rmSync(work, { recursive: true, force: true });
    }, MINUTE_MS);

    test(
      'create makes keys, installs four validators and returns once there are blocks; the same again changes nothing',
      async () => {
        const args = ['--validators', '4', '--block-interval', '500', '--data-availability', 'local'];
        const created = await deployment('create', ...args);
        expect(created.stderr).toContain('sequencer-network: keep them\n');
        // The settings that a manifest needs, copied as a person would.
        [, layerSettings] = /--set config\.composer\.feeAsset=ntia (--set .*)/.exec(created.stdout) ?? [];
        expect(layerSettings).toContain('da-node.url=http://sequencer-da.sequencer.svc:26651');
        expect(created.stdout).toContain('http://sequencer.sequencer.svc:26657');
        const { validators } = await rpc('/validators');
        expect(validators).toHaveLength(4);
        // Blocks need three of the four: the last may still be on its way.
        await until('all are connected', async () => (await rpc('/net_info')).peers.length === 3 || undefined);
        const where = '{range .items[*]}{.spec.nodeName}{"\\n"}{end}';
        const nodes = (await kubectl('get', 'pods', ...NODES, '-o', `jsonpath=${where}`)).trim().split('\n').sort();
        expect(new Set(nodes).size).toBe(2);
        const uids = () => kubectl('get', 'pods', '-o', 'jsonpath={.items[*].metadata.uid}');
        const before = await uids();
        await deployment('create', '--validators', '4');
        expect(await uids()).toBe(before);
        const [listed] = JSON.parse((await deployment('list', '--json')).stdout);
        expect(listed).toMatchObject({ name: 'sequencer', where: NAMESPACE, state: 'ready', head: expect.any(Number) });
        const { stdout } = await deployment('logs', 'sequencer', 'cometbft', '--lines', '5');
        expect(stdout).toMatch(/^sequencer-0 cometbft \| /m);
        expect((await succeed('rollup', 'deployment', 'list')).stdout).toBe('no rollups\n');
      },
      5 * MINUTE_MS,
    );

    test('no process of a pod sees the keys of another validator', async () => {
      for (const container of ['sequencer', 'cometbft']) {
        const spec = `{.spec.containers[?(@.name=="${container}")].volumeMounts[*].name}`;
        expect(await kubectl('get', 'pod', 'sequencer-1', '-o', `jsonpath=${spec}`)).not.toContain('keys');
      }
    });

    test(
      'what does not fit the network that is there is refused',
      async () => {
        const refused = async (args: readonly string[], reason: RegExp) => {
          const { status, stderr } = await switchyard('sequencer', 'deployment', 'create', ...args);
          expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(reason) });
        };
        await refused(['--validators', '7'], /--validators: the network in .* was made with 4, got 7/);
        await refused(['--files', 'another'], /sequencer is in namespace sequencer with another genesis/);
        await refused(
          ['--ingress-class', 'absent'],
          /--ingress-class: expected an ingress class of the cluster, got absent/,
        );
      },
      3 * MINUTE_MS,
    );

    test(
      'a rollup runs on it, paid by the account that create has made',
      async () => {
        await succeed(
          ...['rollup', 'config', 'create', '--rollup.name', 'cosmic', '--rollup.network-id', String(NETWORK_ID)],
          ...[
            '--rollup.genesis-accounts',
            [faucetKey, userKey].map((key) => `${privateKeyToAddress(key)}:${parseEther('9')}`).join(),
          ],
          ...[
            '--sequencer.rpc',
            'http://sequencer.sequencer.svc:26657',
            '--sequencer.grpc',
            'http://sequencer.sequencer.svc:8080',
          ],
          ...['--sequencer.chain-id', 'switchyard-sequencer', '--sequencer.initial-block-height', '2'],
          ...['--set', 'config.composer.feeAsset=ntia'],
          ...(layerSettings ?? '').split(' '),
        );
        await succeed(
          ...['rollup', 'deployment', 'create', '--config', 'cosmic-rollup-conf.yaml'],
          ...['--sequencer-private-key-file', join('sequencer-network', 'genesis_account_key')],
          ...['--faucet-private-key-file', 'faucet.key'],
        );
        const { reader, getWallet } = deployedRollup(cluster, 'cosmic', NETWORK_ID);
        const to = privateKeyToAddress(generatePrivateKey());
        const hash = await getWallet(userKey).sendTransaction({ to, value: parseEther('1') });
        const { status, blockNumber } = await reader.waitForTransactionReceipt({ hash });
        expect(status).toBe('success');
        await isFirm(reader, blockNumber);
        const rollup = JSON.parse((await succeed('rollup', 'deployment', 'status', 'cosmic', '--json')).stdout);
        expect(rollup.heights.firm).toBeGreaterThanOrEqual(Number(blockNumber));
        expect(rollup.heights.soft).toBeGreaterThanOrEqual(rollup.heights.firm);
        const { stdout } = await deployment('status', 'sequencer');
        expect(stdout).toMatch(/^layer height \d+, posted sequencer block \d+$/m);
        for (const part of ['da', 'relayer']) expect(stdout).toMatch(new RegExp(`^${part} +ready`, 'm'));
      },
      5 * MINUTE_MS,
    );

    test(
      'firm blocks end without the relayer, and continue with it: it comes back with its volume and posts what is missing',
      async () => {
        const rollup = deployedRollup(cluster, 'cosmic', NETWORK_ID);
        await kubectl('delete', 'statefulset', 'sequencer-relayer', '--cascade=foreground');
        await firmStops(rollup.reader);
        // Running the same command repairs it.
        await deployment('create');
        await becomesFirm(rollup, userKey);
        await kubectl('delete', 'pod', 'sequencer-da-0');
        await kubectl('rollout', 'status', 'statefulset/sequencer-da', '--timeout=120s');
        await becomesFirm(rollup, userKey);
      },
      6 * MINUTE_MS,
    );

    test(
      'blocks continue while a validator is killed, which comes back with its volume and signs again',
      async () => {
        const uid = () => kubectl('get', 'pod', 'sequencer-2', '-o', 'jsonpath={.metadata.uid}').catch(() => '');
        const killed = await uid();
        await kubectl('delete', 'pod', 'sequencer-2', '--grace-period=0', '--force');
        await more(3);
        await until('another pod', async () => ![killed, ''].includes(await uid()) || undefined, MINUTE_MS, 200);
        await allReady();
        const { validators } = await rpc('/validators');
        await until(
          'all four sign',
          async () => {
            const at = (await height()) - 1;
            const { signatures } = (await rpc(`/commit?height=${at}`)).signed_header.commit;
            const signed = signatures.filter((each: { block_id_flag: number }) => each.block_id_flag === 2);
            return signed.length === validators.length || undefined;
          },
          MINUTE_MS,
          500,
        );
      },
      5 * MINUTE_MS,
    );

    test(
      'a drained node loses one validator, not the second: the volumes are of that node, and blocks need three',
      async () => {
        const getNode = (pod: string) => kubectl('get', 'pod', pod, '-o', 'jsonpath={.spec.nodeName}');
        const node = await getNode('sequencer-3');
        const pods = await Promise.all([0, 1, 2, 3].map((index) => getNode(`sequencer-${index}`)));
        expect(pods.filter((each) => each === node)).toHaveLength(2);
        // Temporary data of a pod is in such a directory.
        const selected = ['--pod-selector=app.kubernetes.io/part-of=switchyard-sequencer', '--delete-emptydir-data'];
        const drained = cluster.kubectl('drain', node, '--ignore-daemonsets', '--timeout=8s', ...selected);
        await expect(drained).rejects.toThrow(/Cannot evict pod as it would violate the pod's disruption budget/);
        await more(3);
        expect(await readyPods()).toHaveLength(3);
        await cluster.kubectl('uncordon', node);
        await allReady();
        await more(2);
      },
      4 * MINUTE_MS,
    );

    test(
      'deleted without its volumes it continues where it was; with them nothing is left',
      async () => {
        await succeed('rollup', 'deployment', 'delete', 'cosmic', '--volumes');
        const before = await height();
        const { stdout } = await deployment('delete', 'sequencer');
        expect(stdout).toContain('kept: 6 volumes');
        await deployment('create');
        expect(await height()).toBeGreaterThan(before);
        await deployment('delete', 'sequencer', '--volumes');
        const gone = async () =>
          !(await cluster.kubectl('get', 'namespaces', '-o', 'name')).includes(`/${NAMESPACE}\n`);
        await until('the namespace is gone', async () => (await gone()) || undefined, MINUTE_MS, 500);
        expect((await deployment('list')).stdout).toBe('no sequencers\n');
      },
      4 * MINUTE_MS,
    );
  },
);
