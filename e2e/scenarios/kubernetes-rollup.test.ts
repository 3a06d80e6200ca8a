import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSigner, formatAddress } from '@switchyard/protocol';
import { type Hash, type Hex, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser, openPage } from '../support/browser.ts';
import { type Cluster, clusterProblem, packImage, startCluster } from '../support/cluster.ts';
import { sequencerObjects } from '../support/cluster-sequencer.ts';
import { deployedRollup } from '../support/deployed-rollup.ts';
import { builtExample, packExample } from '../support/example-program.ts';
import { createNetwork, type Ran, root, run, until } from '../support/network.ts';

/** A rollup from its manifest in a Kubernetes cluster, where its sequencer runs too; its users come through the ingress. */
const SEQUENCER = 'sequencer-test';
const NAMESPACE = 'rollups';
const MINUTE_MS = 60_000;
const IDS = { cosmic: 90_210 } as const;
const COINS = parseEther('100');

/** Keys of this test's own: published keys are refused. */
const sequencerKey = randomBytes(32);
const faucetKey = generatePrivateKey();
const userKey = generatePrivateKey();
const getAddress = (key: Uint8Array) => formatAddress(createSigner(key).account);
const payer = getAddress(sequencerKey);
/** Account of the same key on a rollup without a virtual machine. */
const giver = getAddress(Buffer.from(faucetKey.slice(2), 'hex'));

describe.skipIf(clusterProblem() !== undefined)('a rollup in a Kubernetes cluster', () => {
  let work: string;
  let cluster: Cluster;

  const bin = join(root, 'packages', 'cli', 'bin', 'switchyard.mjs');
  const env = () => ({ KUBECONFIG: cluster.kubeconfig, HOME: work });
  const switchyard = (...args: string[]): Promise<Ran> => run(process.execPath, [bin, ...args], env(), work);
  /** Ctrl+C, once it has printed `text`. */
  const interrupt = async (args: readonly string[], text: string): Promise<Ran> => {
    const child = spawn(process.execPath, [bin, ...args], { cwd: work, env: { ...process.env, ...env() } });
    const closed = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? 1)));
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Uint8Array) => (stdout += String(chunk)));
    child.stderr.on('data', (chunk: Uint8Array) => (stderr += String(chunk)));
    await until(`it prints ${text}`, () => stderr.includes(text) || undefined, MINUTE_MS);
    child.kill('SIGINT');
    return { status: await closed, stdout, stderr };
  };
  /** @throws with its output, when it fails. */
  const succeed = async (...args: string[]): Promise<Ran> => {
    const ran = await switchyard(...args);
    if (ran.status !== 0) throw new Error(`${args.join(' ')}: ${ran.stdout}${ran.stderr}`);
    return ran;
  };
  const getFile = (name: string) => join(work, `${name}-rollup-conf.yaml`);
  const edit = (name: string, key: string, value: string) =>
    succeed('rollup', 'config', 'edit', key, value, '--config', getFile(name));
  const createArgs = (name: string, ...more: string[]) => [
    ...['rollup', 'deployment', 'create', '--config', getFile(name)],
    ...['--sequencer-private-key-file', join(work, 'sequencer.key')],
    ...['--faucet-private-key-file', join(work, 'faucet.key'), ...more],
  ];
  const kubectl = (...args: string[]) => cluster.kubectl('--namespace', NAMESPACE, ...args);
  const rollup = (name: keyof typeof IDS) => deployedRollup(cluster, name, IDS[name]);
  const describeManifest = (name: string, ...more: string[]) =>
    succeed(
      ...['rollup', 'config', 'create', '--config', getFile(name), '--namespace', NAMESPACE],
      ...['--rollup.name', name, ...more, '--sequencer.rpc', `http://sequencer.${SEQUENCER}.svc:26657`],
      ...[
        '--sequencer.initial-block-height',
        '2',
        '--sequencer.chain-id',
        'sequencer-test-chain-0',
        '--set',
        'config.composer.feeAsset=ntia',
      ],
    );

  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), 'switchyard-rollup-'));
    const [image, started] = await Promise.all([packImage(work), startCluster()]);
    cluster = started;
    await cluster.load(image.file);
    const network = await createNetwork({ init: ['--template', 'empty'] });
    const [genesis = '', key = ''] = ['genesis.json', 'priv_validator_key.json'].map((name) =>
      readFileSync(join(network.home, network.instance, 'config', name), 'utf8'),
    );
    await network.dispose();
    const funded = JSON.parse(genesis);
    funded.app_state.accounts.push({ address: { bech32m: payer }, balance: { lo: '1000000000000' } });
    const host = 'sequencer.localhost';
    await cluster.apply(
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: SEQUENCER } },
      ...sequencerObjects({
        ...{ namespace: SEQUENCER, host, image: image.name },
        ...{ genesis: JSON.stringify(funded), key },
      }),
    );
    const secrets = { sequencer: sequencerKey.toString('hex'), faucet: faucetKey.slice(2) };
    for (const [name, secret] of Object.entries(secrets))
      writeFileSync(join(work, `${name}.key`), secret, { mode: 0o600 });
    await describeManifest(
      ...['cosmic', '--rollup.network-id', String(IDS.cosmic), '--rollup.genesis-accounts'],
      [faucetKey, userKey].map((key) => `${privateKeyToAddress(key)}:${COINS}`).join(),
    );
    const hasBlock = async () => {
      const { status, text } = await cluster.get(host, '/status');
      return (status === 200 && Number(JSON.parse(text).result.sync_info.latest_block_height) > 3) || undefined;
    };
    await until('the sequencer has a block that a rollup can begin at', hasBlock, MINUTE_MS, 200);
  }, 5 * MINUTE_MS);

  afterAll(async () => {
    await cluster?.stop();
    rmSync(work, { recursive: true, force: true });
  }, MINUTE_MS);

  test(
    'refuses what cannot work, with its reason, and changes nothing',
    async () => {
      const refused = async (args: readonly string[], reason: RegExp) => {
        const { status, stderr } = await switchyard(...args);
        expect({ status, stderr }).toEqual({
          status: expect.toSatisfy((code) => code !== 0),
          stderr: expect.stringMatching(reason),
        });
      };
      await refused(
        createArgs('cosmic', '--context', 'elsewhere'),
        /--context: expected one of .*, got the context elsewhere/,
      );
      await cluster.kubectl('create', 'serviceaccount', 'powerless', '--namespace', SEQUENCER);
      const token = await cluster.kubectl('create', 'token', 'powerless', '--namespace', SEQUENCER);
      const asUser = (name: string, secret: string) => {
        const text = readFileSync(cluster.kubeconfig, 'utf8');
        const other = text.replace(/^users: .*$/m, `users: [{name: admin, user: {token: "${secret}"}}]`);
        writeFileSync(join(work, name), other, { mode: 0o600 });
        return createArgs('cosmic', '--kubeconfig', join(work, name));
      };
      await refused(
        asUser('powerless.conf', token),
        /may not .*get, list, create, patch, delete ingresses, statefulsets, .* in namespace rollups/,
      );
      await refused(asUser('expired.conf', 'a.b.c'), /does not accept the credentials of the kubeconfig/);
      await edit('cosmic', 'ingress.className', 'absent');
      await edit('cosmic', 'storage.className', 'fast');
      await refused(
        createArgs('cosmic'),
        /got absent; the cluster has .*traefik[\s\S]*got fast; the cluster has local-path/,
      );
      await edit('cosmic', 'ingress.className', 'traefik');
      await edit('cosmic', 'storage.className', 'local-path');
      writeFileSync(join(work, 'published.key'), 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80', {
        mode: 0o600,
      });
      const published = ['--faucet-private-key-file', join(work, 'published.key')];
      await refused(
        createArgs('cosmic', ...published),
        /--faucet-private-key: a published development key.*\n.*is not among config\.rollup\.genesisAccounts/,
      );

      await cluster.apply(
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'of-others' } },
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cosmic-genesis', namespace: 'of-others' }, data: {} },
      );
      await edit('cosmic', 'global.namespace', 'of-others');
      await refused(
        createArgs('cosmic'),
        /namespace of-others belongs to others[\s\S]*ConfigMap cosmic-genesis in namespace of-others belongs to others/,
      );
      await refused(
        createArgs('cosmic', '--force'),
        /ConfigMap cosmic-genesis in namespace of-others belongs to others/,
      );
      await edit('cosmic', 'global.namespace', NAMESPACE);
      expect(await cluster.kubectl('get', 'namespaces', '-o', 'name')).not.toContain(NAMESPACE);
      expect((await succeed('rollup', 'deployment', 'list')).stdout).toBe('no rollups\n');
    },
    MINUTE_MS * 2,
  );

  test(
    'shows why a pod does not start when the time is over; with a manifest that is right, the same command completes',
    async () => {
      await edit('cosmic', 'image', 'localhost/absent:1');
      const { status, stderr } = await switchyard(...createArgs('cosmic', '--timeout', '10'));
      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: expect.stringMatching(/evm is not ready in time: .*(ErrImage|ImagePull).*localhost\/absent:1/),
      });
      const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
      await edit('cosmic', 'image', `localhost/switchyard:${version}`);
      const { stdout } = await succeed(...createArgs('cosmic'));
      for (const part of ['blockscout', 'faucet', 'executor'])
        expect(stdout).toContain(`http://${part}.cosmic.localhost\n`);
      expect(stdout).toContain('ws://ws-executor.cosmic.localhost\n');
    },
    5 * MINUTE_MS,
  );

  test(
    'is of use by its host names: chain, transfer, faucet, explorer, status and logs',
    async () => {
      const { reader, getWallet, host } = rollup('cosmic');
      expect(await reader.getChainId()).toBe(IDS.cosmic);
      const to = privateKeyToAddress(generatePrivateKey());
      const hash = await getWallet(userKey).sendTransaction({ to, value: parseEther('1.5') });
      expect(await reader.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' });
      expect(await reader.getBalance({ address: to })).toBe(parseEther('1.5'));

      const claimant = privateKeyToAddress(generatePrivateKey());
      const claim = await cluster.post(host('faucet'), '/api/claim', { address: claimant });
      expect(claim).toMatchObject({ status: 200 });
      const paid = async () => ((await reader.getBalance({ address: claimant })) > 0n ? true : undefined);
      await until('the claim is paid', paid, MINUTE_MS, 200);
      const page = await cluster.get(host('blockscout'), '/');
      expect(page).toMatchObject({ status: 200, text: expect.stringContaining('<html') });

      const { stdout } = await succeed('rollup', 'deployment', 'status', 'cosmic', '--json');
      const status = JSON.parse(stdout);
      expect(status).toMatchObject({ name: 'cosmic', where: NAMESPACE, state: 'ready' });
      expect(status.head).toBeGreaterThan(0);
      expect(status.heights).toMatchObject({ soft: expect.any(Number), firm: expect.any(Number) });
      expect(status.parts.map(({ name }: { name: string }) => name).sort()).toEqual(['evm', 'explorer', 'faucet']);
      const logs = await succeed('rollup', 'deployment', 'logs', 'cosmic', 'composer', '--lines', '500');
      expect(logs.stdout).toContain(payer);
    },
    3 * MINUTE_MS,
  );

  const browser = findBrowser();
  test.skipIf(browser === undefined)(
    'in a browser, by host names: a claim of the faucet page is paid, and the explorer shows it',
    async () => {
      const { reader, host } = rollup('cosmic');
      const page = await openPage(browser ?? '', [`--host-resolver-rules=MAP *.localhost ${cluster.ingress}`]);
      try {
        const claimant = privateKeyToAddress(generatePrivateKey());
        await page.open(`http://${host('faucet')}/`);
        await page.sees(/Faucet of cosmic[\s\S]*Recent claims/, MINUTE_MS);
        await page.evaluate('document.querySelector("#address").focus()');
        await page.type(claimant);
        await page.press('Enter');
        await page.sees(/Paid 1 ETH to \S+ in block \d+/, MINUTE_MS);
        expect(await reader.getBalance({ address: claimant })).toBe(parseEther('1'));
        const links = `[...document.querySelectorAll('a')].map(({ href }) => href)`;
        const [link] = ((await page.evaluate(links)) as string[]).filter(
          (href) => href.includes(host('blockscout')) && href.includes('/transactions/'),
        );
        await page.open(link ?? 'no link');
        expect(await page.sees(/sent [\d.]+ ETH/, MINUTE_MS)).toMatch(new RegExp(claimant.slice(0, 6), 'i'));
      } finally {
        await page.close();
      }
    },
    3 * MINUTE_MS,
  );

  test(
    'a killed pod is back with its volume',
    async () => {
      const { reader } = rollup('cosmic');
      const before = await reader.getBlock({ blockNumber: 1n });
      const uid = () => kubectl('get', 'pod', 'cosmic-evm-0', '-o', 'jsonpath={.metadata.uid}');
      const killed = await uid();
      await kubectl('delete', 'pod', 'cosmic-evm-0', '--grace-period=0', '--force');
      await until('another pod', async () => ((await uid()) === killed ? undefined : true), MINUTE_MS, 200);
      await succeed(...createArgs('cosmic'));
      expect((await reader.getBlock({ blockNumber: 1n })).hash).toBe(before.hash);
    },
    3 * MINUTE_MS,
  );

  test(
    'a node that was restarted runs it again, with its volumes',
    async () => {
      const { reader, getWallet, host } = rollup('cosmic');
      const wallet = getWallet(userKey);
      const to = privateKeyToAddress(generatePrivateKey());
      const hash = await wallet.sendTransaction({ to, value: 1n });
      const { blockHash } = await reader.waitForTransactionReceipt({ hash });
      const claims = async () => {
        const { status, text } = await cluster.get(host('faucet'), '/api/history');
        return status === 200 ? JSON.parse(text) : undefined;
      };
      const claimed = await claims();
      await cluster.reboot(1);
      const again = async () => {
        const sent = await wallet.sendTransaction({ to, value: 1n });
        return reader.waitForTransactionReceipt({ hash: sent, timeout: MINUTE_MS });
      };
      await until('a transaction is executed after the restart', again, 3 * MINUTE_MS, 500);
      expect((await reader.getTransactionReceipt({ hash })).blockHash).toBe(blockHash);
      expect(await until('the faucet is back', claims, MINUTE_MS, 200)).toEqual(claimed);
    },
    5 * MINUTE_MS,
  );

  test(
    'an edited manifest upgrades it: no transaction is lost, reads wait for the new pod, and what no longer belongs is removed',
    async () => {
      const { reader, getWallet, host } = rollup('cosmic');
      const wallet = getWallet(userKey);
      const accepted: Hash[] = [];
      const stop = new AbortController();
      const to = privateKeyToAddress(generatePrivateKey());
      const sending = (async () => {
        const first = await reader.getTransactionCount({ address: wallet.account.address });
        for (let nonce = first; !stop.signal.aborted; nonce += 1) {
          const fees = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 1n, gas: 21_000n } as const;
          // Without asking the node, which is away for a while.
          const item = { chainId: IDS.cosmic, type: 'eip1559', to, value: 1n, nonce, ...fees } as const;
          const raw: Hex = await wallet.account.signTransaction(item);
          // Between two pods nothing is acknowledged; then the same bytes are sent again.
          const send = async () => {
            try {
              return await reader.sendRawTransaction({ serializedTransaction: raw });
            } catch (error) {
              if (/already known|nonce too low/.test(String(error))) return 'taken before';
              throw error;
            }
          };
          const hash = await until('a transaction is acknowledged', send, 2 * MINUTE_MS, 200);
          if (hash !== 'taken before') accepted.push(hash);
        }
      })();
      const reads: Promise<number | string>[] = [];
      const block = { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] };
      const read = async () => {
        const { status, text } = await cluster.post(host('executor'), '/', block);
        return status === 200 && text.includes('"result"') ? status : `${status} ${text.slice(0, 100)}`;
      };
      // Whether the ones before have been answered or not, as several clients do.
      const reading = setInterval(() => reads.push(read().catch(String)), 100);
      await until('some are acknowledged', () => accepted.length > 3 || undefined, MINUTE_MS);
      const uid = await kubectl('get', 'pod', 'cosmic-evm-0', '-o', 'jsonpath={.metadata.uid}');
      await edit('cosmic', 'global.logLevel', 'info');
      await edit('cosmic', 'faucet.enabled', 'false');
      const upgraded = await succeed(...createArgs('cosmic'));
      expect(await kubectl('get', 'pod', 'cosmic-evm-0', '-o', 'jsonpath={.metadata.uid}')).not.toBe(uid);
      // It returned because the new pod answers.
      expect(await reader.getBlockNumber()).toBeGreaterThan(0n);
      const during = accepted.length;
      await until('more are acknowledged', () => accepted.length > during + 3 || undefined, MINUTE_MS);
      stop.abort();
      clearInterval(reading);
      await sending;
      // A request that is on its way on a connection at the moment when that is closed is not sent again by any proxy.
      const failed = (await Promise.all(reads)).filter((each) => each !== 200);
      expect(failed.length, failed.join('; ')).toBeLessThanOrEqual(1);
      expect(reads.length).toBeGreaterThan(10);
      for (const hash of accepted)
        expect(await reader.waitForTransactionReceipt({ hash, timeout: MINUTE_MS })).toMatchObject({
          status: 'success',
        });
      expect(await reader.getBalance({ address: to })).toBeGreaterThanOrEqual(BigInt(accepted.length));
      expect(upgraded.stderr).toMatch(/\d+ that no longer belong removed/);
      expect(await kubectl('get', 'all,ingress', '-o', 'name')).not.toContain('faucet');
    },
    5 * MINUTE_MS,
  );

  test(
    'another genesis for a chain that has run is refused, with what differs',
    async () => {
      await edit('cosmic', 'config.rollup.networkId', '90299');
      const { status, stderr } = await switchyard(...createArgs('cosmic', '--force'));
      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: expect.stringMatching(/with another genesis \(.*90210, would be 90299/),
      });
      await edit('cosmic', 'config.rollup.networkId', String(IDS.cosmic));
    },
    MINUTE_MS,
  );

  test(
    'a rollup of an author runs beside it, with a faucet, and each is deleted alone: nothing is left',
    async () => {
      const image = await packExample(await builtExample('token', 'kubernetes'), work);
      await cluster.load(image.file);
      const genesis = { owner: giver, balances: [{ account: giver, amount: '1000' }] };
      writeFileSync(join(work, 'nova.json'), JSON.stringify(genesis));
      await describeManifest(
        ...['nova', '--rollup.kind', 'defined', '--rollup.genesis-file', join(work, 'nova.json')],
        ...['--rollup.image', image.name, '--set', 'faucet.enabled=true', 'faucet.asset=coin'],
      );
      const interrupted = await interrupt(createArgs('nova'), 'objects applied');
      expect(interrupted).toMatchObject({ status: 1, stdout: '' });
      expect(interrupted.stderr).toMatch(/\ninterrupted by SIGINT: run the same command again to continue\n$/);
      await succeed(...createArgs('nova'));
      await kubectl('scale', 'statefulset', 'nova-explorer', '--replicas=0');
      await succeed(...createArgs('nova'));
      const listed = JSON.parse((await succeed('rollup', 'deployment', 'list', '--json')).stdout);
      expect(listed.map(({ name, state }: { name: string; state: string }) => [name, state]).sort()).toEqual([
        ['cosmic', 'ready'],
        ['nova', 'ready'],
      ]);
      const { stdout } = await succeed('rollup', 'deployment', 'delete', 'cosmic');
      expect(stdout).toContain('kept: 3 volumes (data-cosmic-evm-0, data-cosmic-explorer-0, data-cosmic-faucet-0)');
      expect(await cluster.post('faucet.nova.localhost', '/api/claim', { address: payer })).toMatchObject({
        status: 200,
      });
      const held = async () => (await cluster.get('api.nova.localhost', `/v1/balance?account=${payer}`)).text;
      await until('the claim is paid', async () => (await held()) === '{"amount":"1"}' || undefined, MINUTE_MS, 200);

      await succeed(...createArgs('cosmic'));
      expect(await rollup('cosmic').reader.getBlockNumber()).toBeGreaterThan(0n);
      await succeed('rollup', 'deployment', 'delete', 'cosmic', '--volumes');
      const last = await succeed('rollup', 'deployment', 'delete', 'nova', '--volumes');
      expect(last.stdout).toContain(`namespace ${NAMESPACE} deleted`);
      const left = async () => {
        const namespaces = await cluster.kubectl('get', 'namespaces', '-o', 'name');
        const volumes = await cluster.kubectl(
          'get',
          'persistentvolumes',
          '-o',
          'jsonpath={.items[*].spec.claimRef.namespace}',
        );
        return namespaces.includes(`/${NAMESPACE}\n`) || volumes.includes(NAMESPACE) ? undefined : true;
      };
      await until('namespace and volumes are gone', left, MINUTE_MS, 500);
      expect((await succeed('rollup', 'deployment', 'list')).stdout).toBe('no rollups\n');
      expect((await switchyard('rollup', 'deployment', 'status', 'cosmic')).stderr).toMatch(/^no rollup cosmic/);
    },
    5 * MINUTE_MS,
  );
});
