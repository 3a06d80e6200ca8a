import { Comet38Client } from '@cosmjs/tendermint-rpc';
import { credentials } from '@grpc/grpc-js';
import { localNetwork, messenger } from '@switchyard/network';
import { GrpcReflection } from 'grpc-js-reflection-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../support/network.ts';

/** A network in this process, used by foreign clients. */
const start = () => localNetwork({ rollups: [messenger()], listen: { rpc: 0, grpc: 0, collector: 0, execution: 0 } });
let network: Awaited<ReturnType<typeof start>>;

beforeAll(async () => {
  network = await start();
});

afterAll(() => network?.close());

const url = (part: string, listener: string) => network.urls[part]?.[listener] ?? expect.fail(`no ${part} ${listener}`);

const ALICE = 'astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm';

test.each(['http', 'ws'])('Comet38Client reads the chain over %s', async (scheme) => {
  const client = await Comet38Client.connect(url('sequencer', 'rpc').replace('http', scheme));
  try {
    const status = await client.status();
    expect(status.nodeInfo.network).toBe(network.chainId);
    await until('two blocks', async () => ((await client.status()).syncInfo.latestBlockHeight >= 2 ? true : undefined));
    const { block, blockId } = await client.block(2);
    expect(block.lastCommit?.height).toBe(1);
    const commit = await client.commit(2);
    expect(commit.commit.blockId.hash).toEqual(blockId.hash);
    expect((await client.validatorsAll(2)).validators).toHaveLength(1);
    expect((await client.blockResults(2)).height).toBe(2);
    expect((await client.abciInfo()).lastBlockHeight).toBeGreaterThanOrEqual(2);
    const { code, value } = await client.abciQuery({ path: `accounts/balance/${ALICE}`, data: new Uint8Array() });
    expect(code).toBe(0);
    expect(value.length).toBeGreaterThan(0);
    expect((await client.genesis()).chainId).toBe(network.chainId);
    expect((await client.health()) === null).toBe(true);
  } finally {
    client.disconnect();
  }
});

test('Comet38Client is notified of new blocks and of transactions', async () => {
  const client = await Comet38Client.connect(url('sequencer', 'rpc').replace('http', 'ws'));
  try {
    const heights: number[] = [];
    const hashes: string[] = [];
    const blocks = client.subscribeNewBlock().subscribe({ next: (event) => heights.push(event.header.height) });
    const transactions = client
      .subscribeTx()
      .subscribe({ next: (event) => hashes.push(Buffer.from(event.hash).toString('hex')) });
    await network.client('messenger').submitText('for a subscriber');
    await until('a block and a transaction', () => (heights.length > 0 && hashes.length > 0 ? true : undefined));
    blocks.unsubscribe?.();
    transactions.unsubscribe?.();
    const found = await client.tx({ hash: Buffer.from(hashes[0] ?? '', 'hex') });
    expect(found.result.code).toBe(0);
  } finally {
    client.disconnect();
  }
});

test.each([
  ['sequencer', 'grpc', 'astria.sequencerblock.v1.SequencerService'],
  ['composer', 'collector', 'astria.composer.v1.GrpcCollectorService'],
  ['messenger', 'execution', 'astria.execution.v2.ExecutionService'],
])('a stock gRPC client finds the services of %s (%s) by reflection', async (part, listener, name) => {
  const reflection = new GrpcReflection(url(part, listener).slice('http://'.length), credentials.createInsecure());
  const services = await reflection.listServices();
  expect(services).toEqual(expect.arrayContaining([name, 'grpc.health.v1.Health']));
  const methods = await reflection.listMethods(name);
  expect(methods.length).toBeGreaterThan(0);
});
