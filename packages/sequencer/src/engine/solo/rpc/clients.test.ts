import { createHash } from 'node:crypto';
import { Comet38Client, type comet38, HttpBatchClient, HttpClient } from '@cosmjs/tendermint-rpc';
import { fromHex, toHex, verifyMerkleProof } from '@switchyard/protocol';
import { eventually } from '@switchyard/service/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHAIN, createFixture, type Fixture, signer } from '../testing.ts';

/** A client that was not written here, against the whole RPC. */

let f: Fixture;
let included: bigint;
const TX = Buffer.from('city=Zürich');
const HASH = createHash('sha256').update(TX).digest();

beforeAll(async () => {
  f = createFixture();
  await f.start({ emptyBlockIntervalMs: 20 });
  included = await f.include(TX.toString());
  await f.reach(included + 2n);
});
afterAll(() => f.dispose());

async function connect(scheme: 'http' | 'ws'): Promise<Comet38Client> {
  return Comet38Client.connect(f.url.replace('http', scheme));
}

// Defect: Solo engine's `tx_search` found no ranges of heights, so `txSearchAll` of CosmJS failed
test.each(['http', 'ws'] as const)('Comet38Client calls every method over %s', async (scheme) => {
  const client = await connect(scheme);
  try {
    const height = Number(included);
    expect(await client.health()).toBeNull();

    const status = await client.status();
    expect(status.nodeInfo.network).toBe(CHAIN);
    expect(status.syncInfo.catchingUp).toBe(false);
    expect(status.syncInfo.latestBlockHeight).toBeGreaterThan(height);
    expect(status.syncInfo.earliestBlockHeight).toBe(1);
    expect(status.validatorInfo.votingPower).toBe(10n);
    expect(toHex(status.validatorInfo.address)).toBe(signer.account);

    const info = await client.abciInfo();
    expect(info.data).toBe('astria_sequencer');
    expect(info.lastBlockAppHash).toHaveLength(32);

    const query = await client.abciQuery({ path: 'city', data: Uint8Array.of(0xab) });
    expect(query).toMatchObject({ code: 0, log: 'data=ab height=undefined' });
    expect(Buffer.from(query.value).toString()).toBe('Zürich');
    expect(await client.abciQuery({ path: 'nowhere', data: new Uint8Array(), height: 7 })).toMatchObject({
      code: 8,
      log: 'data= height=7',
    });

    const { block, blockId } = await client.block(height);
    expect(block.txs.map((tx) => Buffer.from(tx).toString())).toContain('city=Zürich');
    expect(block.lastCommit?.height).toBe(height - 1);
    expect((await client.block()).block.header.height).toBeGreaterThan(height);
    expect((await client.block(1)).block.lastCommit).toBeNull();

    const results = await client.blockResults(height);
    expect(results.results).toHaveLength(2);
    expect(results.results[1]).toMatchObject({ code: 0, gasWanted: 5n, gasUsed: 3n });
    expect(results.finalizeBlockEvents).toEqual([{ type: 'block', attributes: [{ key: 'count', value: '1' }] }]);

    const chain = await client.blockchain(height, height);
    expect(chain.blockMetas.map(({ blockId: id, numTxs }) => [toHex(id.hash), numTxs])).toEqual([
      [toHex(blockId.hash), 2],
    ]);

    const commit = await client.commit(height);
    expect(commit.canonical).toBe(true);
    expect(commit.commit.blockId.hash).toEqual(blockId.hash);
    expect(commit.commit.signatures[0]?.validatorAddress).toEqual(status.validatorInfo.address);
    expect((await client.commit()).commit.signatures).toHaveLength(1);

    const validators = await client.validatorsAll(height);
    expect(validators.validators).toMatchObject([{ votingPower: 10n, pubkey: { algorithm: 'ed25519' } }]);
    expect((await client.validators({ height, per_page: 5, page: 1 })).count).toBe(1);

    const genesis = await client.genesis();
    expect(genesis).toMatchObject({ chainId: CHAIN, appState: { kept: ['as', 'it', 'is'] } });
    expect(genesis.consensusParams.block?.maxBytes).toBe(1_048_576);

    const tx = await client.tx({ hash: HASH, prove: true });
    expect(tx).toMatchObject({ height, index: 1, result: { code: 0, gasUsed: 3n } });
    expect(tx.result.events).toEqual([
      {
        type: 'set',
        attributes: [
          { key: 'key', value: 'city' },
          { key: 'value', value: 'Zürich' },
        ],
      },
    ]);
    expect(tx.proof?.rootHash).toEqual(block.header.dataHash);
    const { index = 0, total = 0, aunts = [] } = tx.proof?.proof ?? {};
    expect(verifyMerkleProof({ path: aunts, index, leaves: total }, HASH, block.header.dataHash)).toBe(true);

    const upper = HASH.toString('hex').toUpperCase();
    expect((await client.txSearch({ query: `tx.hash='${upper}'` })).totalCount).toBe(1);
    expect((await client.txSearchAll({ query: `tx.height=${height}`, per_page: 1 })).txs).toHaveLength(2);
    expect((await client.txSearch({ query: `tx.height=${height} AND set.key='city'` })).totalCount).toBe(1);
    expect((await client.txSearch({ query: `tx.height=${height} AND set.key='town'` })).totalCount).toBe(0);
    const range = await client.txSearchAll({ query: `tx.height>=1 AND tx.height<=${height}`, per_page: 3 });
    const counts = await client.blockchain(1, height);
    expect(range.totalCount).toBe(counts.blockMetas.reduce((sum, { numTxs }) => sum + numTxs, 0));
    expect(range.txs.map((each) => each.height)).toEqual(range.txs.map((each) => each.height).sort((a, b) => a - b));
    expect(range.txs.at(-1)).toMatchObject({ height, index: 1 });
    const found = await client.txSearchAll({ query: `tx.height > 0 AND set.key='city'`, per_page: 1 });
    expect(found.txs.map((each) => each.hash)).toEqual([Uint8Array.from(HASH)]);
    const newest = await client.txSearch({ query: `tx.height<=${height}`, per_page: 1, order_by: 'desc' });
    expect(newest.txs[0]).toMatchObject({ height, index: 1 });
    expect((await client.txSearchAll({ query: 'tx.height < 1' })).txs).toEqual([]);
    const blocks = await client.blockSearchAll({ query: `block.height > 1 AND block.height <= 3`, per_page: 1 });
    expect(blocks.blocks.map((each) => each.block.header.height)).toEqual([2, 3]);

    expect(await client.numUnconfirmedTxs()).toEqual({ total: 0, totalBytes: 0 });
  } finally {
    client.disconnect();
  }
});

test.each(['http', 'ws'] as const)('Comet38Client sends transactions over %s', async (scheme) => {
  const client = await connect(scheme);
  try {
    const send = (text: string) => Buffer.from(`${scheme}-${text}`);
    expect(await client.broadcastTxSync({ tx: send('sync=1') })).toMatchObject({ code: 0, log: '' });
    expect(await client.broadcastTxAsync({ tx: send('async=1') })).toMatchObject({ code: 0 });
    expect(await client.broadcastTxSync({ tx: Buffer.from('nonsense') })).toMatchObject({
      code: 20,
      log: 'expected KEY=VALUE',
    });
    const committed = await client.broadcastTxCommit({ tx: send('commit=1') });
    expect(committed).toMatchObject({ checkTx: { code: 0 }, txResult: { code: 0, gasUsed: 3n } });
    expect((await client.block(committed.height)).block.txs.map(String)).toContain(
      String(new Uint8Array(send('commit=1'))),
    );
    const failed = await client.broadcastTxCommit({ tx: Buffer.from('fail=1') });
    expect(failed).toMatchObject({ checkTx: { code: 0 }, txResult: { code: 7, log: 'told to fail' } });
    const refused = await client.broadcastTxCommit({ tx: Buffer.from('nonsense') });
    expect(refused).toMatchObject({ height: 0, checkTx: { code: 20 } });
    await eventually(() => f.disk.values.get(`${scheme}-async`) === '1');
  } finally {
    client.disconnect();
  }
});

test('Comet38Client receives blocks, headers and transactions', async () => {
  const client = await connect('ws');
  try {
    const blocks: comet38.NewBlockEvent[] = [];
    const headers: number[] = [];
    const txs: comet38.TxEvent[] = [];
    const only: comet38.TxEvent[] = [];
    const hash = createHash('sha256').update('seen=2').digest('hex').toUpperCase();
    const subscriptions = [
      client.subscribeNewBlock().subscribe({ next: (event) => blocks.push(event) }),
      client.subscribeNewBlockHeader().subscribe({ next: ({ height }) => headers.push(height) }),
      client.subscribeTx('set.key EXISTS').subscribe({ next: (event) => txs.push(event) }),
      client.subscribeTx(`tx.hash = '${hash}'`).subscribe({ next: (event) => only.push(event) }),
    ];
    await eventually(() => blocks.length > 0 && headers.length > 0);
    await f.include('seen=1');
    const height = Number(await f.include('seen=2'));
    await eventually(() => only.length > 0 && headers.includes(height));
    expect(txs.map(({ tx }) => Buffer.from(tx).toString())).toEqual(['seen=1', 'seen=2']);
    expect(only.map((event) => [event.height, Buffer.from(event.hash).toString('hex').toUpperCase()])).toEqual([
      [height, hash],
    ]);
    expect(only[0]?.result.events).toHaveLength(1);
    expect(headers).toEqual(headers.map((_, index) => (headers[0] ?? 0) + index));
    const block = blocks.find(({ header }) => header.height === height);
    expect(block?.txs.map((tx) => Buffer.from(tx).toString())).toContain('seen=2');
    for (const subscription of subscriptions) subscription.unsubscribe();
    const received = headers.length;
    await client.health();
    await f.reach(f.disk.height + 2n);
    await client.health();
    expect(headers.length).toBe(received);
  } finally {
    client.disconnect();
  }
});

test('clients may put many calls into one request', async () => {
  const http = new HttpBatchClient(f.url, { dispatchInterval: 1 });
  const client = Comet38Client.create(http);
  const answers = await Promise.all([
    client.health(),
    client.block(1),
    client.block(2),
    client.status(),
    client.commit(1),
  ]);
  expect(answers[2]).toMatchObject({ block: { header: { height: 2 } } });
  client.disconnect();
});

test('errors have the texts of CometBFT', async () => {
  const client = Comet38Client.create(new HttpClient(f.url));
  const unknown = fromHex('00'.repeat(32));
  await expect(client.tx({ hash: unknown })).rejects.toThrow(
    `"code":-32603,"message":"Internal error","data":"tx (${'00'.repeat(32)}) not found"`,
  );
  await expect(client.block(1_000_000)).rejects.toThrow(
    /height 1000000 must be less than or equal to the current blockchain height \d+/,
  );
  await expect(client.block(0)).rejects.toThrow('height must be greater than 0, but got 0');
});
