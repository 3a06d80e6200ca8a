import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collectorClient } from '@switchyard/client';
import { rollupIdFromName } from '@switchyard/protocol';
import { bytesToHex, createPublicClient, type Hex, http } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Anvil, anvilIsThere, startAnvil } from '../support/anvil.ts';
import { connects, createGeth, type GethProcess, gethIsThere } from '../support/geth.ts';
import { createNetwork, freeOffset, PORTS, root, until } from '../support/network.ts';
import { ask } from '../support/submitting.ts';

/*
 * The composer follows EVM nodes that are not ours: the program itself, over its settings, with real nodes. There is no
 * sequencer, so that all it has taken can be listed.
 */

const account = mnemonicToAccount('test test test test test test test test test test test junk');
const ROLLUP = 'elsewhere';
/** Public test key; the sequencer that it would pay is on this machine. */
const KEY = '2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90';

/** An EVM node with a pool of its own, which seals nothing. */
interface OutsideNode {
  readonly chainId: number;
  readonly http: string;
  readonly ws: string;
  /** Ends it as a crash does and starts it again with an empty pool. */
  restart(): Promise<void>;
  dispose(): Promise<void>;
}

async function anvilNode(chainId = 31_337): Promise<OutsideNode> {
  const port = PORTS.evm + (await freeOffset());
  const start = (): Promise<Anvil> => startAnvil(port, '--no-mining', '--chain-id', String(chainId));
  let anvil = await start();
  return {
    chainId,
    http: anvil.url,
    ws: anvil.url.replace(/^http/, 'ws'),
    async restart() {
      await anvil.stop();
      anvil = await start();
    },
    dispose: () => anvil.stop(),
  };
}

async function gethNode(): Promise<OutsideNode> {
  const offset = await freeOffset();
  const [httpPort, wsPort] = [PORTS.evm + offset, PORTS.evmWs + offset];
  const chainId = 1337;
  const blobs = { cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 } };
  const forks = ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg', 'istanbul'];
  const config = {
    chainId,
    ...Object.fromEntries([...forks, 'berlin', 'london'].map((fork) => [`${fork}Block`, 0])),
    ...{ shanghaiTime: 0, cancunTime: 0, terminalTotalDifficulty: 0, blobSchedule: blobs },
  };
  const genesis = {
    config,
    difficulty: '0x0',
    gasLimit: '0x1c9c380',
    alloc: { [account.address]: { balance: `0x${(10n ** 22n).toString(16)}` } },
  };
  const geth: GethProcess = await createGeth({
    genesis: JSON.stringify(genesis),
    gasLimit: 30_000_000,
    chainId,
    args: [
      ...['--http', '--http.port', String(httpPort), '--http.api', 'eth,net'],
      ...['--ws', '--ws.port', String(wsPort), '--ws.api', 'eth,txpool', '--txpool.journal', ''],
    ],
  });
  /** Its servers come up one after the other. */
  const start = async () => {
    await geth.start();
    for (const port of [httpPort, wsPort]) await until('geth listens', () => connects(port));
  };
  await start();
  return {
    chainId,
    http: `http://127.0.0.1:${httpPort}`,
    ws: `ws://127.0.0.1:${wsPort}`,
    async restart() {
      await geth.stop('SIGKILL');
      await start();
    },
    dispose: () => geth.dispose(),
  };
}

describe.each([
  ['anvil', anvilIsThere(), () => anvilNode()],
  ['geth', gethIsThere(), gethNode],
] as const)('the pending transactions of %s', (_, isThere, startNode) => {
  if (!isThere) return test.skip('are not followed, as it is not there');
  const home = mkdtempSync(join(tmpdir(), 'switchyard-collector-'));
  let node: OutsideNode;
  let offset: number;
  let composer: ChildProcess | undefined;

  beforeAll(async () => {
    node = await startNode();
    offset = await freeOffset();
    writeFileSync(join(home, 'key'), KEY, { mode: 0o600 });
  });

  afterAll(async () => {
    await stopComposer('SIGTERM');
    await node?.dispose();
    rmSync(home, { recursive: true, force: true });
  });

  const at = (service: keyof typeof PORTS) => `127.0.0.1:${PORTS[service] + offset}`;

  async function startComposer(): Promise<void> {
    composer = spawn(process.execPath, [join(root, 'packages', 'composer', 'dist', 'main.js')], {
      env: {
        PATH: process.env.PATH,
        SVC_COMPOSER_SEQUENCER_CHAIN_ID: 'nowhere',
        SVC_COMPOSER_PRIVATE_KEY_FILE: join(home, 'key'),
        SVC_COMPOSER_DB_FILEPATH: join(home, 'composer'),
        SVC_COMPOSER_GRPC_ADDR: at('collector'),
        SVC_COMPOSER_API_LISTEN_ADDR: at('composer'),
        SVC_COMPOSER_METRICS_HTTP_LISTENER_ADDR: '127.0.0.1:0',
        // No process listens there.
        SVC_COMPOSER_SEQUENCER_ABCI_ENDPOINT: 'http://127.0.0.1:9',
        SVC_COMPOSER_SEQUENCER_GRPC_ENDPOINT: 'http://127.0.0.1:9',
        svc_composer_rollups: `${ROLLUP}::${node.ws}`,
      },
      stdio: 'ignore',
    });
    await until('the composer follows the node', async () =>
      (await followed())?.connected === true ? true : undefined,
    );
  }

  async function stopComposer(signal: NodeJS.Signals): Promise<void> {
    const stopping = composer;
    composer = undefined;
    if (stopping === undefined || stopping.exitCode !== null) return;
    const ended = new Promise((resolve) => stopping.once('exit', resolve));
    stopping.kill(signal);
    await ended;
  }

  /** The part of `/status` about the followed node. */
  async function followed() {
    const { body } = await ask(`http://${at('composer')}/status`);
    return body?.rollups?.[0];
  }

  /** The composer's whole queue for the rollup, in order. */
  async function queued(): Promise<Hex[]> {
    const client = collectorClient({ url: `http://${at('collector')}` });
    try {
      const found: Hex[] = [];
      for await (const piece of client.pending(rollupIdFromName(ROLLUP)))
        found.push(...piece.map((raw) => bytesToHex(raw)));
      return found;
    } finally {
      client.close();
    }
  }

  async function send(nonce: number): Promise<Hex> {
    const raw = await account.signTransaction({
      ...{ type: 'eip1559', chainId: node.chainId, nonce, to: account.address, value: 1n, gas: 21_000n },
      ...{ maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n },
    });
    await createPublicClient({ transport: http(node.http) }).sendRawTransaction({ serializedTransaction: raw });
    return raw;
  }

  const queueIs = (expected: readonly Hex[]) =>
    until(`the queue holds ${expected.length}`, async () =>
      (await queued()).length >= expected.length ? true : undefined,
    ).then(async () => expect(await queued()).toEqual(expected));

  test('are in its queue once and in order, whoever of the two is killed in between', async () => {
    const sent = [await send(0)];
    await startComposer();
    await queueIs(sent);
    sent.push(await send(1), await send(2));
    await queueIs(sent);

    await stopComposer('SIGKILL');
    sent.push(await send(3));
    await startComposer();
    sent.push(await send(4));
    await queueIs(sent);
    expect(await followed()).toMatchObject({ rollup: ROLLUP, connected: true, unusable: 0 });

    await node.restart();
    await until('the node is followed again', async () =>
      (await followed())?.trouble === undefined ? true : undefined,
    );
    // Its pool is empty now, so it takes other transactions with these nonces; a gap is closed before it is announced.
    const again = await account.signTransaction({
      ...{ type: 'eip2930', chainId: node.chainId, nonce: 0, to: account.address, value: 2n, gas: 30_000n },
      ...{ gasPrice: 10n ** 10n, accessList: [{ address: account.address, storageKeys: [`0x${'07'.repeat(32)}`] }] },
    });
    await createPublicClient({ transport: http(node.http) }).sendRawTransaction({ serializedTransaction: again });
    await queueIs([...sent, again]);
  });
});

test.skipIf(!anvilIsThere())('what is sent to a node elsewhere is executed by the rollup of that name', async () => {
  const node = await anvilNode(1337);
  const network = await createNetwork({ init: ['--template', 'evm'], isBare: true });
  try {
    const file = join(network.home, network.instance, 'config', 'base-config.toml');
    const settings = readFileSync(file, 'utf8');
    writeFileSync(file, settings.replace('svc_composer_rollups = ""', `svc_composer_rollups = "evm::${node.ws}"`));
    await network.start();
    const raw = await account.signTransaction({
      ...{ type: 'eip1559', chainId: 1337, nonce: 0, to: account.address, value: 1n, gas: 21_000n },
      ...{ maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n },
    });
    const hash = await createPublicClient({ transport: http(node.http) }).sendRawTransaction({
      serializedTransaction: raw,
    });
    const rollup = createPublicClient({ transport: http(network.url('evm')) });
    expect(await rollup.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' });
  } finally {
    await network.dispose();
    await node.dispose();
  }
});
