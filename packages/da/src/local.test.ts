import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@connectrpc/connect';
import { Rejected, toHex } from '@switchyard/protocol';
import {
  type BlobTx,
  type CelestiaBlob,
  type CelestiaSigner,
  encodeBlobTx,
  namespaceBytes,
  namespaceFromId,
  type PaymentTerms,
  payForBlobs,
  payForBlobsGas,
  signPayment,
} from '@switchyard/protocol/celestia';
import { grpcTransport, InvalidConfig, jsonRpcClient, silentLogger } from '@switchyard/service';
import { askAs, eventually } from '@switchyard/service/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { consensusNode } from './celestia/consensus-node.ts';
import { lightNode } from './celestia/light-node.ts';
import { createCelestiaReader, getFirstBlock } from './celestia/reader.ts';
import { createCelestiaWriter } from './celestia/writer.ts';
import { Service as TxService } from './gen/cosmos/tx/v1beta1/service_pb.ts';
import { daSuite } from './layer.suite.ts';
import { DaUnavailable } from './layer.ts';
import { LABEL } from './local/light-node-methods.ts';
import { getSigner, type LocalLayer, startLocalLayer } from './local.testing.ts';

daSuite('the local layer', () => startLocalLayer());

const signal = new AbortController().signal;
const NAMESPACE = namespaceFromId(new Uint8Array(10).fill(0x22));
const MAX_PRICE = 10n ** 18n;

function writerTo({ consensusNodeUrl: url }: LocalLayer) {
  const transport = grpcTransport(url);
  return { ...createCelestiaWriter({ url, signer: getSigner(1), maxGasPrice: MAX_PRICE }, { transport }), transport };
}

describe('the consensus node of the local layer', () => {
  let layer: LocalLayer;
  let node: ReturnType<typeof consensusNode>;
  let transport: ReturnType<typeof grpcTransport>;
  beforeAll(async () => {
    layer = await startLocalLayer({ SVC_DA_BLOCK_INTERVAL_MS: '20', SVC_DA_EMPTY_BLOCK_INTERVAL_MS: '20' });
    transport = grpcTransport(layer.consensusNodeUrl);
    node = consensusNode(transport, layer.consensusNodeUrl);
  });
  afterAll(async () => {
    transport.close();
    await layer.close();
  });

  interface Given {
    readonly signer?: CelestiaSigner;
    readonly terms?: Partial<PaymentTerms>;
    readonly chainId?: string;
    readonly accountNumber?: bigint;
    readonly blob?: CelestiaBlob;
    readonly tamper?: (tx: BlobTx) => BlobTx;
  }
  async function transaction({ signer = getSigner(1), terms, chainId, accountNumber, blob, tamper }: Given) {
    const blobs = [blob ?? { namespace: NAMESPACE, data: new Uint8Array(10).fill(1), author: signer.account }];
    const known = await node.account(getSigner(1).account, signal);
    const gasLimit = payForBlobsGas(blobs, await node.gasTerms(signal));
    const all = { sequence: known.sequence, gasLimit, fee: gasLimit, timeoutHeight: 0n, ...terms };
    const context = { chainId: chainId ?? (await node.chainId(signal)), accountNumber: accountNumber ?? known.number };
    const { bytes: payment } = signPayment(payForBlobs(signer.account, blobs), all, context, signer);
    const tx = { payment, blobs };
    return encodeBlobTx(tamper?.(tx) ?? tx);
  }

  test.each<[string, Given, number | undefined, string]>([
    ['a sequence that is ahead', { terms: { sequence: 9n } }, 32, 'account sequence mismatch, expected 0, got 9'],
    ['a fee that is too low', { terms: { fee: 1n } }, 13, 'required: 320utia (min gas price: 0.004 utia/gas)'],
    ['more than the account has', { terms: { fee: 10n ** 15n } }, 5, 'insufficient funds'],
    ['an account without funds', { signer: getSigner(9) }, 9, 'unknown address'],
    ['a height that has passed', { terms: { timeoutHeight: 1n } }, 30, 'tx timeout height'],
    ['too little gas', { terms: { gasLimit: 100n } }, 11, 'out of gas'],
    ['a signature for another chain', { chainId: 'another' }, 4, 'signature verification failed'],
    ['a signature for another account', { accountNumber: 77n }, 4, 'signature verification failed'],
    [
      'other data than was paid for',
      {
        tamper: (tx) => ({
          ...tx,
          blobs: [{ namespace: NAMESPACE, data: new Uint8Array(10).fill(2), author: getSigner(1).account }],
        }),
      },
      undefined,
      'codespace blob code 11116: invalid commitment for share',
    ],
    [
      'another author than the payer',
      {
        tamper: (tx) => ({
          ...tx,
          blobs: [{ namespace: NAMESPACE, data: new Uint8Array(10).fill(1), author: getSigner(2).account }],
        }),
      },
      undefined,
      'codespace blob code 11140: invalid blob signer',
    ],
  ])('refuses %s', async (_, given, code, text) => {
    const answer = await node.broadcast(await transaction(given), signal);
    expect(answer).toMatchObject({ code, text: expect.stringContaining(text) });
  });

  test('refuses what is no transaction, and what is longer than one', async () => {
    expect(await node.broadcast(new Uint8Array([1, 2, 3]), signal)).toMatchObject({ code: 2 });
    expect(await node.broadcast(new Uint8Array(8_388_609), signal)).toMatchObject({ code: 21 });
  });

  test('shows transactions to those who ask for them, as with an index', async () => {
    const by = writerTo(layer);
    const prepared = await by.prepare([{ namespace: NAMESPACE, data: new Uint8Array([1]) }], signal);
    await by.submit(prepared, signal);
    const { height } = await eventually(async () => {
      const outcome = await by.outcome(prepared, signal);
      return outcome.kind === 'included' ? outcome : undefined;
    });
    const { txResponse } = await createClient(TxService, transport).getTx({ hash: prepared.id.toUpperCase() });
    expect(txResponse).toMatchObject({ height, code: 0, txhash: prepared.id.toUpperCase() });
    await expect(createClient(TxService, transport).getTx({ hash: '0'.repeat(64) })).rejects.toThrow('tx not found');
    await expect(createClient(TxService, transport).getTx({ hash: '../..' })).rejects.toThrow('64 hex digits');
    by.transport.close();
  });
});

describe('the light node of the local layer', () => {
  let layer: LocalLayer;
  let height: bigint;
  const call = (method: string, params: object) => jsonRpcClient(layer.lightNodeUrl).call(method, params);
  const namespace = Buffer.from(namespaceBytes(NAMESPACE)).toString('base64');
  beforeAll(async () => {
    layer = await startLocalLayer();
    const by = writerTo(layer);
    const blobs = [3_000, 20].map((length) => ({
      namespace: NAMESPACE,
      data: new Uint8Array(length).fill(length & 255),
    }));
    const prepared = await by.prepare(blobs, signal);
    await by.submit(prepared, signal);
    height = await eventually(async () => {
      const outcome = await by.outcome(prepared, signal);
      return outcome.kind === 'included' ? outcome.height : undefined;
    });
    by.transport.close();
  });
  afterAll(() => layer.close());

  test('shows the blobs of a namespace, with the places of their shares', async () => {
    const all = await call('blob.GetAll', [Number(height), [namespace]]);
    // 458 bytes in the first share and 482 in each of the rest: 7 shares and 1, in a square of 4 x 4.
    expect(all).toMatchObject([
      { namespace, share_version: 1, index: 0 },
      { namespace, share_version: 1, index: 8 + 3 },
    ]);
    const [one] = all as { commitment: string }[];
    expect(await call('blob.Get', [Number(height), namespace, one?.commitment])).toEqual(one);
    expect(await call('blob.GetAll', [1, [namespace]])).toBeNull();
    await expect(call('blob.Get', [1, namespace, one?.commitment])).rejects.toThrow('blob: not found');
  });

  test('waits for the next height, and for no later one', async () => {
    const node = lightNode({ url: layer.lightNodeUrl });
    const { height: head } = await node.networkHead(signal);
    await node.waitFor?.(head + 1n, signal);
    expect((await node.networkHead(signal)).height).toBeGreaterThan(head);
    await expect(node.waitFor?.(head + 1_000_000n, signal)).rejects.toBeInstanceOf(DaUnavailable);
  });

  test.each<[string, string, unknown[]]>([
    ['no parameters', 'header.GetByHeight', []],
    ['a height that is none', 'header.GetByHeight', ['x']],
    ['height 0', 'header.GetByHeight', [0]],
    ['a namespace of another length', 'share.GetNamespaceData', [1, 'AAAA']],
    ['a namespace that is no base64', 'share.GetNamespaceData', [1, '?']],
    ['the namespace of parity', 'share.GetNamespaceData', [1, Buffer.alloc(29, 255).toString('base64')]],
    ['many namespaces', 'blob.GetAll', [1, Array(17).fill('AAAA')]],
  ])('refuses %s', async (_, method, params) => {
    await expect(call(method, params)).rejects.toMatchObject({ code: -32_602 });
  });

  test('is not taken for Celestia', async () => {
    expect(await call('node.Info', [])).toMatchObject({ api_version: LABEL });
    const status = await (await fetch(`${layer.lightNodeUrl}/status`)).json();
    const { root } = await getFirstBlock({ url: layer.lightNodeUrl }, AbortSignal.timeout(10_000));
    const time = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(status).toMatchObject({
      ...{ label: LABEL, chainId: 'local-da', pendingTransactions: 0 },
      first: { height: 1, hash: toHex(root.hash), time },
      newest: { height: expect.any(Number), hash: expect.stringMatching(/^[0-9a-f]{64}$/), time },
    });
    expect((await fetch(`${layer.lightNodeUrl}/readyz`)).status).toBe(200);
    expect(await (await fetch(`${layer.lightNodeUrl}/metrics`)).text()).toMatch(/switchyard_da_height \d/);
  });

  test.each([{ host: 'pages.example' }, { origin: 'http://pages.example' }])(
    'refuses a page with %j',
    async (headers) => {
      const url = layer.lightNodeUrl;
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'header.NetworkHead', params: [] });
      const answer = await askAs(url, {
        method: 'POST',
        headers: { host: new URL(url).host, 'content-type': 'application/json', ...headers },
        body,
      });
      expect(answer.status).toBe(403);
    },
  );
});

test('a restart continues the chain, and what was read before is read again', async () => {
  const layer = await startLocalLayer();
  try {
    const node = lightNode({ url: layer.lightNodeUrl });
    const { header, commit } = await node.header(1n, signal);
    const root = { chainId: header.chainId, height: 1n, hash: commit.blockId.hash };
    const reader = () => createCelestiaReader({ url: layer.lightNodeUrl, root }, { log: silentLogger });
    const by = writerTo(layer);
    const first = await by.prepare([{ namespace: NAMESPACE, data: new Uint8Array([1]) }], signal);
    await by.submit(first, signal);
    const height = await eventually(async () => {
      const outcome = await by.outcome(first, signal);
      return outcome.kind === 'included' ? outcome.height : undefined;
    });
    const before = await reader().read(height, [NAMESPACE], signal);
    const waiting = await by.prepare([{ namespace: NAMESPACE, data: new Uint8Array([2]) }], signal);
    await layer.stop();
    await layer.start();
    expect(await reader().read(height, [NAMESPACE], signal)).toEqual(before);
    // A process that has only the stored bytes now sends the unsent ones.
    const later = writerTo(layer);
    await later.submit(waiting, signal);
    const next = await eventually(async () => {
      const outcome = await later.outcome(waiting, signal);
      return outcome.kind === 'included' ? outcome.height : undefined;
    });
    expect(next).toBeGreaterThan(height);
    expect((await reader().read(next, [NAMESPACE], signal)).blobs[0]).toHaveLength(1);
    expect(await later.outcome(first, signal)).toEqual({ kind: 'included', height });
    by.transport.close();
    later.transport.close();
  } finally {
    await layer.close();
  }
});

test('of old blocks only the first one is kept, from which the newest follow, also after a restart', async () => {
  const layer = await startLocalLayer({
    ...{ SVC_DA_BLOCK_INTERVAL_MS: '10', SVC_DA_EMPTY_BLOCK_INTERVAL_MS: '10', SVC_DA_RETAIN_BLOCKS: '100' },
  });
  try {
    const node = lightNode({ url: layer.lightNodeUrl });
    const by = writerTo(layer);
    const posted = await by.prepare([{ namespace: NAMESPACE, data: new Uint8Array([1]) }], signal);
    await by.submit(posted, signal);
    const height = await eventually(async () => {
      const outcome = await by.outcome(posted, signal);
      return outcome.kind === 'included' ? outcome.height : undefined;
    });
    by.transport.close();
    const isPast = async () => (await node.networkHead(signal)).height > height + 110n || undefined;
    await eventually(isPast);
    const { header, commit } = await node.header(1n, signal);
    const root = { chainId: header.chainId, height: 1n, hash: commit.blockId.hash };
    for (const _ of ['before', 'after']) {
      // The first call after the restart may go out on a connection that ended with it.
      await eventually(() => node.networkHead(signal).catch(() => undefined));
      await expect(node.header(height, signal)).rejects.toThrow(/requested header \(\d+\) is below Tail \(\d+\)/);
      const reader = createCelestiaReader({ url: layer.lightNodeUrl, root }, { log: silentLogger });
      const { height: head } = await node.networkHead(signal);
      expect((await reader.read(head, [NAMESPACE], signal)).blobs).toEqual([[]]);
      await layer.stop();
      await layer.start();
    }
  } finally {
    await layer.close();
  }
});

test('what was prepared for another network is not sent', async () => {
  const [layer, other] = [await startLocalLayer(), await startLocalLayer({ SVC_DA_CHAIN_ID: 'another' })];
  const [by, elsewhere] = [writerTo(layer), writerTo(other)];
  try {
    const prepared = await by.prepare([{ namespace: NAMESPACE, data: new Uint8Array([1]) }], signal);
    await expect(elsewhere.submit(prepared, signal)).rejects.toThrow('was not prepared for another');
    const reserved = namespaceFromId(new Uint8Array(10));
    await expect(by.prepare([{ namespace: reserved, data: new Uint8Array([1]) }], signal)).rejects.toBeInstanceOf(
      Rejected,
    );
    await expect(by.prepare([], signal)).rejects.toBeInstanceOf(Rejected);
    await expect(by.prepare([{ namespace: NAMESPACE, data: new Uint8Array() }], signal)).rejects.toBeInstanceOf(
      Rejected,
    );
  } finally {
    by.transport.close();
    elsewhere.transport.close();
    await layer.close();
    await other.close();
  }
});

test('does not start with the blocks of another chain, or without the key that signed them', async () => {
  const layer = await startLocalLayer();
  const directory = join(layer.directory, 'blocks');
  await layer.stop();
  try {
    const other = startLocalLayer({ SVC_DA_DB_FILEPATH: directory, SVC_DA_CHAIN_ID: 'another' });
    await expect(other).rejects.toBeInstanceOf(InvalidConfig);
    rmSync(join(directory, 'validator.key'));
    await expect(layer.start()).rejects.toThrow('blocks by the key next to them');
  } finally {
    await layer.close();
  }
});

test('names accounts of the genesis that are no addresses', async () => {
  const wrong = { SVC_DA_GENESIS_ACCOUNTS: `celestia1${'q'.repeat(38)}:1` };
  await expect(startLocalLayer(wrong)).rejects.toThrow('its checksum is wrong');
});
