import { Comet38Client } from '@cosmjs/tendermint-rpc';
import { credentials } from '@grpc/grpc-js';
import { GrpcReflection } from 'grpc-js-reflection-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNetwork, type Network, until } from '../support/network.ts';

/** The running stack, asked by clients that we did not write. */
let network: Network;

beforeAll(async () => {
  network = await createNetwork({ isBare: true, hasProcesses: false });
  await network.start();
});

afterAll(() => network?.dispose());

const ALICE = 'astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm';

test.each(['http', 'ws'])('Comet38Client reads the chain over %s', async (scheme) => {
  const client = await Comet38Client.connect(network.url('rpc').replace('http', scheme));
  try {
    const status = await client.status();
    expect(status.nodeInfo.network).toBe('sequencer-test-chain-0');
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
    expect((await client.genesis()).chainId).toBe('sequencer-test-chain-0');
    expect((await client.health()) === null).toBe(true);
  } finally {
    client.disconnect();
  }
});

test('Comet38Client is notified of new blocks and of transactions', async () => {
  const client = await Comet38Client.connect(network.url('rpc').replace('http', 'ws'));
  try {
    const heights: number[] = [];
    const hashes: string[] = [];
    const blocks = client.subscribeNewBlock().subscribe({ next: (event) => heights.push(event.header.height) });
    const transactions = client
      .subscribeTx()
      .subscribe({ next: (event) => hashes.push(Buffer.from(event.hash).toString('hex')) });
    const sent = await network.rollupCli(
      ...['submit', 'text', 'for a subscriber', 'alice', '--json'],
      ...['--private-key', '2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90'],
    );
    expect(sent).toMatchObject({ status: 0 });
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
  ['grpc', 'astria.sequencerblock.v1.SequencerService'],
  ['collector', 'astria.composer.v1.GrpcCollectorService'],
  ['execution', 'astria.execution.v2.ExecutionService'],
] as const)('a stock gRPC client finds %s by reflection', async (service, name) => {
  const reflection = new GrpcReflection(network.url(service).slice('http://'.length), credentials.createInsecure());
  const services = await reflection.listServices();
  expect(services).toEqual(expect.arrayContaining([name, 'grpc.health.v1.Health']));
  const methods = await reflection.listMethods(name);
  expect(methods.length).toBeGreaterThan(0);
});
