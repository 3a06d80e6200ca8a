import { create, toBinary } from '@bufbuild/protobuf';
import type { ConnectRouter } from '@connectrpc/connect';
import { formatAddress, rollupIdFromName, toHex, txHashFromBytes, txHashOf } from '@switchyard/protocol';
import { accounts, bridge, fees, ownSequencer, sequencerService } from '@switchyard/protocol/gen';
import { alice } from '@switchyard/protocol/testing';
import { httpApp, JsonRpcError, serveGrpc } from '@switchyard/service';
import { type JsonRpcBounds, jsonRpcServer, serveJsonRpc } from '@switchyard/service/json-rpc';
import { afterEach, expect, test } from 'vitest';
import { QueryFailed } from './comet.ts';
import { sequencerClient } from './sequencer.ts';

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const ADDRESS = formatAddress(alice.account);
const anywhere = { host: '127.0.0.1', port: 0 };
const never = new AbortController().signal;
type Methods = Record<string, (params: Record<string, unknown>) => unknown>;

/** A node with the methods that a test needs, and the requests it got. */
async function node(
  methods: Methods,
  routes: (router: ConnectRouter) => void = () => undefined,
  bounds: Partial<JsonRpcBounds> = {},
) {
  const wanted: { method: string; params: unknown }[] = [];
  const rpc = jsonRpcServer({
    bounds,
    methods: Object.fromEntries(
      Object.entries(methods).map(([method, answer]) => [
        method,
        (params: unknown) => {
          wanted.push({ method, params });
          // A test knows its client's requests.
          return answer(params as Record<string, unknown>);
        },
      ]),
    ),
  });
  const http = await serveJsonRpc({ server: rpc, listen: anywhere, app: httpApp(), name: 'RPC', graceMs: 20 });
  const grpc = await serveGrpc({ listen: anywhere, name: 'GRPC', services: [], routes, graceMs: 20 });
  const client = sequencerClient({ rpcUrl: http.url, grpcUrl: grpc.url, timeoutMs: 2_000 });
  closers.push(http.close, grpc.close, client.close);
  return { client, asked: wanted };
}

const queryAnswer = (value: Uint8Array, height = '9') => ({
  response: { code: 0, value: Buffer.from(value).toString('base64'), height },
});

test('reads the status of a node', async () => {
  const { client } = await node({
    status: () => ({
      node_info: { network: 'sequencer-test-chain-0', moniker: 'solo', version: '0.38.17' },
      sync_info: {
        latest_block_height: '7',
        latest_block_hash: 'ABCD',
        latest_block_time: '2024-01-01T00:00:00Z',
        catching_up: false,
      },
    }),
  });
  expect(await client.status()).toEqual({
    chainId: 'sequencer-test-chain-0',
    moniker: 'solo',
    version: '0.38.17',
    latestHeight: 7n,
    latestHash: 'abcd',
    latestTime: '2024-01-01T00:00:00Z',
    catchingUp: false,
  });
});

test('reads chain id and height', async () => {
  const { client } = await node({
    genesis: () => ({ genesis: { chain_id: 'x' } }),
    abci_info: () => ({ response: { last_block_height: '9223372036854775807' } }),
  });
  expect([await client.genesisChainId(), await client.latestHeight()]).toEqual(['x', 9_223_372_036_854_775_807n]);
});

test('a node without blocks is at height 0', async () => {
  const { client } = await node({ abci_info: () => ({ response: { data: 'app' } }) });
  expect(await client.latestHeight()).toBe(0n);
});

test('asks for balances and nonce by path, without a leading slash', async () => {
  const balances = create(accounts.BalanceResponseSchema, {
    height: 9n,
    balances: [{ denom: 'nria', balance: { lo: 5n, hi: 1n } }],
  });
  const nonce = create(accounts.NonceResponseSchema, { height: 9n, nonce: 3 });
  const { client, asked: wanted } = await node({
    abci_query: ({ path }) =>
      queryAnswer(
        String(path).includes('nonce')
          ? toBinary(accounts.NonceResponseSchema, nonce)
          : toBinary(accounts.BalanceResponseSchema, balances),
      ),
  });
  expect(await client.balances(ADDRESS)).toEqual({
    height: 9n,
    balances: [{ asset: 'nria', amount: 18_446_744_073_709_551_621n }],
  });
  expect(await client.nonce(ADDRESS)).toEqual({ height: 9n, nonce: 3 });
  expect(wanted[0]?.params).toEqual({ path: `accounts/balance/${ADDRESS}`, data: '', prove: false });
});

test('a refused query is an error, not an empty answer', async () => {
  const { client } = await node({
    abci_query: () => ({ response: { code: 2, info: 'invalid parameter', log: 'not an address', value: null } }),
  });
  const failed = client.nonce('nonsense');
  await expect(failed).rejects.toEqual(
    new QueryFailed('accounts/nonce/nonsense', 2, 'invalid parameter: not an address'),
  );
});

test('an answer that does not decode is an error that names the query', async () => {
  const { client } = await node({ abci_query: () => queryAnswer(Uint8Array.of(0xff, 0xff)) });
  await expect(client.nonce(ADDRESS)).rejects.toThrow(
    `accounts/nonce/${ADDRESS}: expected an encoded astria.protocol.accounts.v1.NonceResponse`,
  );
});

test('tells a bridge account from another', async () => {
  const rollup = rollupIdFromName('chat');
  const schema = bridge.BridgeAccountInfoResponseSchema;
  const full = create(schema, {
    height: 9n,
    rollupId: { inner: Buffer.from(rollup, 'hex') },
    asset: 'ntia',
    sudoAddress: { bech32m: ADDRESS },
    withdrawerAddress: { bech32m: ADDRESS },
  });
  const { client } = await node({
    abci_query: ({ path }) =>
      queryAnswer(toBinary(schema, String(path).endsWith('bridge') ? full : create(schema, { height: 9n }))),
  });
  expect(await client.bridgeAccount('bridge')).toEqual({ rollup, asset: 'ntia', sudo: ADDRESS, withdrawer: ADDRESS });
  expect(await client.bridgeAccount('other')).toBeUndefined();
});

test('asks for fees with the body in hex', async () => {
  const schema = fees.TransactionFeeResponseSchema;
  const value = toBinary(schema, create(schema, { fees: [{ asset: 'nria', fee: { lo: 48n } }] }));
  const { client, asked: wanted } = await node({ abci_query: () => queryAnswer(value) });
  expect(await client.fee(Uint8Array.of(1, 255))).toEqual([{ asset: 'nria', amount: 48n }]);
  expect(wanted[0]?.params).toMatchObject({ path: 'transaction/fee', data: '01ff' });
});

const TX = Uint8Array.of(1, 2, 3);
const HASH = txHashOf(TX);

test('sends transactions in base64', async () => {
  const { client, asked: wanted } = await node({
    broadcast_tx_sync: () => ({ code: 4, data: '', log: 'too low', codespace: '', hash: HASH.toUpperCase() }),
  });
  expect(await client.broadcastSync(TX)).toEqual({ code: 4, log: 'too low', hash: HASH });
  expect(wanted[0]?.params).toEqual({ tx: 'AQID' });
});

test('a transaction that CometBFT holds already is code 14', async () => {
  const { client } = await node({
    broadcast_tx_sync: () => {
      throw new JsonRpcError(-32_603, 'Internal error', 'tx already exists in cache');
    },
  });
  expect(await client.broadcastSync(TX)).toMatchObject({ code: 14, hash: HASH });
});

test('finds a transaction, or not', async () => {
  const { client, asked: wanted } = await node({
    tx: ({ hash }) => {
      if (hash !== Buffer.from(HASH, 'hex').toString('base64'))
        throw new JsonRpcError(-32_603, 'Internal error', 'tx (00) not found');
      const events = [{ type: 'tx.fees', attributes: [{ key: 'feeAmount', value: '12', index: true }] }];
      return {
        hash: HASH.toUpperCase(),
        height: '5',
        index: 2,
        tx_result: { code: 0, data: null, log: '', events },
        tx: 'AQID',
      };
    },
  });
  expect(await client.tx(HASH)).toEqual({
    hash: HASH,
    height: 5n,
    index: 2,
    code: 0,
    log: '',
    events: [{ type: 'tx.fees', attributes: [{ key: 'feeAmount', value: '12' }] }],
  });
  expect(await client.tx(txHashOf(Uint8Array.of()))).toBeUndefined();
  expect(wanted).toHaveLength(2);
});

test.each([
  ['in one request', 100],
  ['one by one where the node answers fewer at once', 3],
])('reads blocks with their results %s', async (_, maxBatch) => {
  const hex = (digit: string) => digit.repeat(64);
  const id = (digit: string) => ({ hash: hex(digit), parts: { total: 1, hash: hex('F') } });
  const none = { last_commit_hash: '', data_hash: '', validators_hash: '', next_validators_hash: '' };
  const hashes = { ...none, consensus_hash: '', app_hash: '', last_results_hash: '', evidence_hash: '' };
  const { client } = await node(
    {
      block: ({ height }) => ({
        block_id: id(String(height)),
        block: {
          header: {
            ...{ ...hashes, version: { block: '11' }, chain_id: 'test', height, time: '2024-01-01T00:00:00Z' },
            ...{ last_block_id: id('0'), proposer_address: '' },
          },
          data: { txs: ['AQID'] },
          last_commit: { height: '1', round: 0, block_id: id('0'), signatures: [] },
        },
      }),
      block_results: ({ height }) => ({ height, txs_results: [{ code: Number(height), events: null }] }),
    },
    undefined,
    { maxBatch },
  );
  const read = await client.executedBlocks([5n, 6n]);
  expect(read.map(({ block, results }) => [block.header.height, toHex(block.id.hash), block.txs, results])).toEqual([
    [5n, hex('5'), [TX], [{ code: 5, log: '', events: [] }]],
    [6n, hex('6'), [TX], [{ code: 6, log: '', events: [] }]],
  ]);
});

test('reads what became of the transactions of a block', async () => {
  const events = [{ type: 'tx.fees', attributes: [{ key: 'feeAmount', value: '12', index: true }] }];
  const { client } = await node({
    block_results: ({ height }) => ({
      height,
      txs_results:
        height === '5'
          ? [
              { code: 0, events: null },
              { code: 7, log: 'no', events },
            ]
          : null,
    }),
  });
  expect(await client.blockResults(5n)).toEqual([
    { code: 0, log: '', events: [] },
    { code: 7, log: 'no', events: [{ type: 'tx.fees', attributes: [{ key: 'feeAmount', value: '12' }] }] },
  ]);
  expect(await client.blockResults(6n)).toEqual([]);
});

test('collects all pages of validators', async () => {
  const validatorJson = () => ({
    address: toHex(Buffer.from(alice.account, 'hex')).toUpperCase(),
    pub_key: { type: 'tendermint/PubKeyEd25519', value: Buffer.from(alice.publicKey).toString('base64') },
    voting_power: '10',
  });
  const { client, asked: wanted } = await node({
    validators: ({ page }) => ({
      block_height: '5',
      validators: Array.from({ length: page === '1' ? 100 : 30 }, validatorJson),
      total: '130',
    }),
  });
  expect(await client.validators(5n)).toHaveLength(130);
  expect(wanted.map(({ params }) => params)).toMatchObject([
    { height: '5', page: '1' },
    { height: '5', page: '2' },
  ]);
});

test('does not ask for pages for ever', async () => {
  const { client } = await node({ validators: () => ({ validators: [], total: '130' }) });
  await expect(client.validators()).rejects.toThrow('validators.validators: expected the rest of 130 validators');
});

const rollup = rollupIdFromName('chat');

test('asks over gRPC for nonces and who used them', async () => {
  const { client } = await node({}, (router) => {
    router.service(sequencerService.SequencerService, {
      getPendingNonce: ({ address }) => ({ inner: address?.bech32m === ADDRESS ? 7 : 0 }),
    });
    router.service(ownSequencer.NodeService, {
      getNonceSpender: ({ nonces }) => ({
        accountNonce: 8,
        height: 3n,
        spenders: nonces.map((nonce) => ({ nonce, transactionHash: Buffer.alloc(32, nonce), height: 2n })),
      }),
    });
  });
  expect(await client.pendingNonce(ADDRESS)).toBe(7);
  expect(await client.nonceSpender(ADDRESS, [6])).toEqual({
    accountNonce: 8,
    height: 3n,
    spenders: [{ nonce: 6, hash: txHashFromBytes(new Uint8Array(32).fill(6)), height: 2n }],
  });
});

test('passes streamed blocks on unchanged, and reports the end of the stream', async () => {
  const { client } = await node({}, (router) => {
    router.service(ownSequencer.NodeService, {
      async *streamFilteredBlocks({ fromHeight, rollupId }) {
        yield {
          blocks: [{ block: rollupId?.inner ?? new Uint8Array(0), signedHeader: Uint8Array.of(1) }],
          latestHeight: fromHeight,
        };
        yield { blocks: [], latestHeight: fromHeight + 1n };
      },
    });
  });
  const seen: unknown[] = [];
  const read = async () => {
    for await (const { blocks, latest } of client.streamFilteredBlocks(5n, rollup, never)) {
      seen.push([blocks.map(({ block, signedHeader }) => [toHex(block), [...signedHeader]]), latest]);
    }
  };
  await expect(read()).rejects.toThrow('the sequencer ended the stream of blocks');
  expect(seen).toEqual([
    [[[rollup, [1]]], 5n],
    [[], 6n],
  ]);
});

test('an abort stops the stream on both sides', async () => {
  let stopped: (() => void) | undefined;
  const serverStopped = new Promise<void>((resolve) => {
    stopped = resolve;
  });
  const { client } = await node({}, (router) => {
    router.service(ownSequencer.NodeService, {
      async *streamFilteredBlocks(_, { signal }) {
        signal.addEventListener('abort', () => stopped?.());
        yield { latestHeight: 1n };
        await new Promise(() => undefined);
      },
    });
  });
  const stop = new AbortController();
  const stream = client.streamFilteredBlocks(1n, rollup, stop.signal);
  await stream.next();
  const next = stream.next();
  stop.abort(new Error('enough'));
  await expect(next).rejects.toThrow('enough');
  await serverStopped;
});

test('without a gRPC address, calls that need one fail with that reason', async () => {
  const client = sequencerClient({ rpcUrl: 'http://127.0.0.1:9' });
  await expect(client.pendingNonce(ADDRESS)).rejects.toThrow(
    'GetPendingNonce needs the gRPC address of a sequencer, and none was given',
  );
});
