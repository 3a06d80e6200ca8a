import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { sequencerClient } from '@switchyard/client';
import { createCelestiaWriter } from '@switchyard/da';
import { type ChangingProxy, changingProxy } from '@switchyard/da/testing';
import { signText } from '@switchyard/messenger/testing';
import {
  createSigner,
  decodePostedMetadata,
  encodePostedMetadata,
  encodePostedRollupData,
  fromHex,
  parseDenom,
  rollupIdFromBytes,
  signTransaction,
} from '@switchyard/protocol';
import {
  celestiaAccountBytes,
  createCelestiaSigner,
  formatCelestiaAddress,
  rollupNamespace,
  sequencerNamespace,
} from '@switchyard/protocol/celestia';
import { grpcTransport } from '@switchyard/service';
import { freePort } from '@switchyard/service/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  configure,
  type LayerAndRelayer,
  layerAndRelayer,
  type Restartable,
  relayerTo,
} from '../support/da-processes.ts';
import { layerBlobs } from '../support/layer-blobs.ts';
import { createNetwork, type Network, until } from '../support/network.ts';
import { ALICE, ASSET, ask, getNonce, post } from '../support/submitting.ts';

/** Faults between a sequencer, its relayer, the layer and a conductor. After each of them, texts become firm. */
const MINUTE_MS = 60_000;
const CHAIN = 'sequencer-test-chain-0';
/** `npm run chaos -- --data-availability local` makes more of them, at every step. */
const KILLS = 6;
const signal = new AbortController().signal;

let network: Network;
let posting: LayerAndRelayer;
let proxy: ChangingProxy;
let layer: Restartable;
const others: Restartable[] = [];
const transports: { close(): void }[] = [];
const second = randomBytes(32);
const poor = randomBytes(32);
const getAddress = (key: Uint8Array) => formatCelestiaAddress(createCelestiaSigner(key).account);
const written: string[] = [];
/** Blocks up to this height may have been posted by another relayer with the same key too. */
let sharedUpTo = 0;

const conductor = async () => (await ask(`${network.url('conductor')}/status`)).body;
const relayerStatus = async (relayer: Restartable) => (await ask(`${relayer.url}/status`)).body;
const place = () => ({ grpc: network.url('grpc'), rpc: network.url('rpc'), chainId: CHAIN });

beforeAll(async () => {
  network = await createNetwork({ isBare: true });
  // The second account posts what it likes; the last one has the fees of a few transactions.
  posting = await layerAndRelayer(join(network.home, 'posting'), place(), {
    [getAddress(second)]: 1_000_000_000_000n,
    [getAddress(poor)]: 1_500n,
  });
  layer = posting.layer;
  await layer.start();
  proxy = await changingProxy(layer.url);
  configure(network, {
    SVC_CONDUCTOR_EXECUTION_COMMIT_LEVEL: 'SoftAndFirm',
    ...(await posting.conductorEnv()),
    SVC_CONDUCTOR_CELESTIA_NODE_HTTP_URL: proxy.url,
    // Blobs of everybody are looked at.
    SVC_CONDUCTOR_CELESTIA_AUTHORS: '',
  });
  await network.start();
  await posting.relayer.start();
}, 2 * MINUTE_MS);

afterEach(() => proxy?.change(undefined));

afterAll(async () => {
  for (const each of [...others, posting?.relayer, layer]) await each?.stop('SIGKILL');
  for (const transport of transports) transport.close();
  await proxy?.close();
  await network?.dispose();
});

/** Writes a text. @returns the URL of its state. */
async function write(text: string): Promise<string> {
  const url = network.url('rollup');
  const { chainId } = (await ask(`${url}/v1/status`)).body;
  const bytes = signText({ nonce: await getNonce(url, ALICE), chainId, text, from: 'alice', feeAsset: ASSET }, ALICE);
  const { status: answered, body } = await post(`${url}/v1/transactions`, bytes);
  expect([answered, body]).toEqual([202, expect.anything()]);
  written.push(text);
  return `${url}/v1/transactions/${body.hash}`;
}

const isIn = (url: string, ...states: readonly string[]) =>
  until(
    `${url} is ${states.join(' or ')}`,
    async () => states.includes((await ask(url).catch(() => undefined))?.body?.state) || undefined,
    MINUTE_MS,
    100,
  );

const becomesFirm = async (text: string) => isIn(await write(text), 'firm');

/** It is executed and not firm, until the obstacle is gone. */
async function waits(text: string): Promise<string> {
  const url = await write(text);
  await isIn(url, 'executed');
  return url;
}

const expectTexts = async () => {
  const { body } = await ask(`${network.url('rollup')}/v1/texts?after=0&limit=1000`);
  expect(body.texts.map(({ message }: { message: string }) => message)).toEqual(written);
};

/** Blobs in the sequencer's namespace, at all heights of the layer. */
const blobsOnLayer = async () =>
  (await layerBlobs({ url: layer.url }, [sequencerNamespace(CHAIN)])).flatMap(({ blobs }) => blobs.flat());

function stranger() {
  const transport = grpcTransport(posting.layerGrpc);
  transports.push(transport);
  const url = posting.layerGrpc;
  return createCelestiaWriter({ url, signer: createCelestiaSigner(second), maxGasPrice: 10n ** 18n }, { transport });
}

function otherRelayer(name: string, key: Uint8Array, apiPort: number): Restartable {
  const directory = join(network.home, name);
  mkdirSync(directory, { recursive: true });
  const keyFile = join(directory, 'key');
  writeFileSync(keyFile, Buffer.from(key).toString('hex'), { mode: 0o600 });
  const relayer = relayerTo(
    { directory, apiPort, sequencer: place() },
    { grpc: posting.layerGrpc, chainId: 'local-da', keyFile },
  );
  others.push(relayer);
  return relayer;
}

test(
  'the sequencer takes no data for a rollup that can be posted nowhere',
  async () => {
    const reserved = rollupIdFromBytes(Uint8Array.from({ length: 32 }, (_, index) => (index < 9 ? 0 : 7)));
    const client = sequencerClient({ rpcUrl: network.url('rpc'), grpcUrl: network.url('grpc'), timeoutMs: 10_000 });
    const signer = createSigner(new Uint8Array(32).fill(7));
    const action = { kind: 'rollupDataSubmission', rollup: reserved, data: new Uint8Array([1]) } as const;
    const bytes = signTransaction(
      { nonce: 0, chainId: CHAIN, actions: [{ ...action, feeAsset: parseDenom(ASSET) }] },
      signer,
    );
    expect(await client.broadcastSync(bytes)).toMatchObject({
      code: 19,
      log: expect.stringContaining('nine zero bytes are reserved by the data-availability layer'),
    });
  },
  MINUTE_MS,
);

test(
  'foreign and forged blobs do not execute, and hold nothing back',
  async () => {
    await becomesFirm('before strangers');
    const [blob] = await blobsOnLayer();
    if (blob === undefined) throw new Error('nothing was posted');
    const [genuine] = decodePostedMetadata(brotliDecompressSync(blob.data));
    if (genuine === undefined) throw new Error('an empty list');
    const { soft, rollup: id } = await conductor();
    const later = { ...genuine, header: { ...genuine.header, height: BigInt(soft) + 3n } };
    const rollup = rollupIdFromBytes(fromHex(id));
    const forged = encodePostedRollupData({
      ...{ blockHash: genuine.hash, rollup, transactions: [new Uint8Array([1, 2, 3])] },
      proof: genuine.rollupIdsProof,
    });
    const [metadata, data] = [sequencerNamespace(CHAIN), rollupNamespace(rollup)];
    const by = stranger();
    const bomb = brotliCompressSync(Buffer.alloc(80_000_000));
    const blobs = [
      { namespace: metadata, data: new Uint8Array(randomBytes(500)) },
      { namespace: metadata, data: blob.data.slice(0, -20) },
      { namespace: metadata, data: new Uint8Array(bomb) },
      { namespace: data, data: new Uint8Array(bomb) },
      { namespace: metadata, data: new Uint8Array(brotliCompressSync(encodePostedMetadata(later))) },
      { namespace: data, data: new Uint8Array(brotliCompressSync(forged)) },
      ...Array.from({ length: 300 }, () => ({ namespace: metadata, data: new Uint8Array(randomBytes(40)) })),
    ];
    const prepared = await by.prepare(blobs, signal);
    await by.submit(prepared, signal);
    await until('it is in the layer', async () => {
      const { kind } = await by.outcome(prepared, signal);
      return kind === 'included' || undefined;
    });
    await becomesFirm('after strangers');
    await expectTexts();
  },
  2 * MINUTE_MS,
);

test(
  'a light node that withholds, shows invalid data, or lags is waited out',
  async () => {
    const shares = (change: (rows: { shares: string[] | null }[]) => unknown) => (method: string, result: unknown) =>
      method === 'share.GetNamespaceData' ? change(result as { shares: string[] | null }[]) : result;
    const heads = new Map<string, unknown>();
    const faults: Readonly<Record<string, Parameters<ChangingProxy['change']>[0]>> = {
      withholds: (method, result) => {
        if (method === 'share.GetNamespaceData') throw new Error('no answer');
        return result;
      },
      'leaves out': shares(() => []),
      changes: shares((rows) => rows.map((row) => ({ ...row, shares: row.shares?.toReversed() ?? null })).slice(1)),
      lags: (method, result) => {
        if (method !== 'header.NetworkHead' && method !== 'header.LocalHead') return result;
        if (!heads.has(method)) heads.set(method, result);
        return heads.get(method);
      },
    };
    for (const [name, fault] of Object.entries(faults)) {
      proxy.change(fault);
      const url = await waits(`while it ${name}`);
      proxy.change(undefined);
      await isIn(url, 'firm');
    }
    await expectTexts();
  },
  3 * MINUTE_MS,
);

test(
  'a light node that restarts with another history is not believed, and with its own it continues',
  async () => {
    await posting.relayer.stop('SIGKILL');
    await layer.stop('SIGKILL');
    const { layerHead } = await conductor();
    // A longer one: of a shorter one nothing would be read.
    const settings = {
      SVC_DA_DB_FILEPATH: join(network.home, 'another-history'),
      SVC_DA_BLOCK_INTERVAL_MS: '10',
      SVC_DA_EMPTY_BLOCK_INTERVAL_MS: '10',
    };
    const another = posting.layerWith(settings);
    others.push(another);
    await another.start();
    await until(
      'the other history is longer',
      async () => Number((await ask(`${layer.url}/status`)).body.height) > Number(layerHead) + 10 || undefined,
      MINUTE_MS,
    );
    const url = await waits('in another history');
    await until('it is refused', async () => {
      const { status, body } = await ask(`${network.url('conductor')}/readyz`);
      return (status === 503 && JSON.stringify(body).includes(proxy.url)) || undefined;
    });
    expect((await ask(url)).body.state).toBe('executed');
    await another.stop('SIGKILL');
    await layer.start();
    await posting.relayer.start();
    await isIn(url, 'firm');
  },
  2 * MINUTE_MS,
);

test(
  'two relayers, with one key and with two, post everything',
  async () => {
    const same = fromHex(readFileSync(posting.keyFile, 'utf8').trim());
    for (const [name, key] of [
      ['same-key', same],
      ['other-key', second],
    ] as const) {
      const relayer = otherRelayer(name, key, await freePort());
      await relayer.start();
      await becomesFirm(`beside a relayer with the ${name}`);
      const { sequencerHeight } = await relayerStatus(posting.relayer);
      for (const each of [relayer, posting.relayer]) {
        await until(
          `all is posted beside the ${name}`,
          async () => Number((await relayerStatus(each)).postedHeight) >= Number(sequencerHeight) || undefined,
          2 * MINUTE_MS,
        );
      }
      await relayer.stop();
      sharedUpTo = Number((await relayerStatus(posting.relayer)).sequencerHeight);
    }
  },
  4 * MINUTE_MS,
);

test(
  'a price above the limit is waited out, with the reason shown',
  async () => {
    await layer.stop();
    layer = posting.layerWith({ SVC_DA_MINIMUM_GAS_PRICE: '0.5' });
    await layer.start();
    const url = await waits('too dear');
    const ready = `${posting.relayer.url}/readyz`;
    await until('the reason', async () =>
      JSON.stringify((await ask(ready)).body).includes('more than the limit of 0.1') ? true : undefined,
    );
    await layer.stop();
    layer = posting.layer;
    await layer.start();
    await isIn(url, 'firm');
  },
  2 * MINUTE_MS,
);

test(
  'a relayer whose account is empty states it, and continues with another key where it was',
  async () => {
    await posting.relayer.stop();
    const port = await freePort();
    const dry = otherRelayer('dry', poor, port);
    await dry.start();
    // Blocks without data are posted together, seconds later: each text has a transaction of its own.
    let texts = 0;
    const hasReason = async () => {
      if (JSON.stringify((await ask(`${dry.url}/status`)).body).includes('insufficient funds')) return true;
      await write(`costs a fee ${texts++}`);
      return undefined;
    };
    await until('the reason', hasReason, MINUTE_MS, 500);
    expect((await ask(`${dry.url}/readyz`)).status).toBe(503);
    const url = await waits('without funds');
    await dry.stop();
    // The key of the second account, and the state of the first.
    await otherRelayer('dry', second, port).start();
    await isIn(url, 'firm');
    for (const each of others) await each.stop();
    await posting.relayer.start();
  },
  3 * MINUTE_MS,
);

test(
  `killed ${KILLS} times, relayer, layer and conductor post each block and execute it once`,
  async () => {
    const urls: string[] = [];
    for (let round = 0; round < KILLS; round += 1) {
      urls.push(await write(`kill ${round}`));
      await new Promise((resolve) => setTimeout(resolve, randomBytes(1)[0] ?? 0));
      const victim = [posting.relayer, layer, undefined][round % 3];
      // It may still be on its way back from the last time.
      const running = () => network.pid('conductor').catch(() => undefined);
      if (victim === undefined) process.kill(await until('a conductor', running), 'SIGKILL');
      await victim?.stop('SIGKILL');
      await victim?.start();
      if (round % 10 === 9) await isIn(urls.at(-1) ?? '', 'firm');
    }
    for (const url of urls) await isIn(url, 'firm');
    await expectTexts();
    const key = createCelestiaSigner(fromHex(readFileSync(posting.keyFile, 'utf8').trim()));
    const own = Buffer.from(celestiaAccountBytes(key.account));
    const heights = (await blobsOnLayer())
      .filter(({ author }) => author !== undefined && own.equals(author))
      .flatMap(({ data }) => decodePostedMetadata(brotliDecompressSync(data)))
      .map(({ header }) => Number(header.height));
    const last = Math.max(...heights);
    const alone = heights.filter((height) => height > sharedUpTo);
    expect(alone.length).toBeGreaterThan(0);
    expect(alone).toEqual(Array.from(alone, (_, index) => sharedUpTo + 1 + index));
    expect(new Set(heights)).toEqual(new Set(Array.from({ length: last }, (_, index) => index + 1)));
  },
  (2 + KILLS / 4) * MINUTE_MS,
);
