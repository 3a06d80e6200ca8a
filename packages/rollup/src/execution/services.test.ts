import { create, toBinary } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient, createRouterTransport } from '@connectrpc/connect';
import { createMemoryStore } from '@switchyard/machine';
import { execution2, ownExecution, sequencerblock } from '@switchyard/protocol/gen';
import { encodeSequencedData } from '@switchyard/protocol/testing';
import { expect, test } from 'vitest';
import { RollupChain } from '../app/chain.ts';
import { signSpend, tallyRollup } from '../testing/tally.ts';
import { ExecutionHost } from './host.ts';
import { executionServices } from './services.ts';

const SEQUENCER_HASH = 'ab'.repeat(32);
const timestamp = { seconds: 1_700_000_000n, nanos: 5 };

async function served() {
  const chain = await RollupChain.open(tallyRollup(), createMemoryStore());
  const transport = createRouterTransport(executionServices(new ExecutionHost(chain)).routes);
  const client = createClient(execution2.ExecutionService, transport);
  const batch = createClient(ownExecution.BatchExecutionService, transport);
  const { sessionId, commitmentState } = await client.createExecutionSession({});
  const parentHash = commitmentState?.softExecutedBlockMetadata?.hash ?? '';
  return { chain, client, batch, sessionId, commitmentState, parentHash };
}

const getCode = (work: Promise<unknown>) =>
  work.then(
    () => 'ok',
    (error: unknown) => Code[ConnectError.from(error).code],
  );
const sequenced = (data: Uint8Array) =>
  create(sequencerblock.RollupDataSchema, { value: { case: 'sequencedData', value: data } });

test('the level of a conductor is on the wire, and what made blocks firm in the answer', async () => {
  const { client, batch, parentHash } = await served();
  const { CommitLevel, FirmMeaning } = execution2;
  const session = await client.createExecutionSession({ commitLevel: CommitLevel.FIRM_ONLY });
  expect(session.firmMeaning).toBe(FirmMeaning.UNSPECIFIED);
  const blocks = [{ transactions: [], timestamp, sequencerBlockHash: SEQUENCER_HASH }];
  await batch.executeBlocks({ sessionId: session.sessionId, parentHash, blocks, commitFirm: true });
  expect((await client.createExecutionSession({})).firmMeaning).toBe(FirmMeaning.POSTED);
  expect(await getCode(client.createExecutionSession({ commitLevel: CommitLevel.SOFT_IS_FIRM }))).toBe(
    'FailedPrecondition',
  );
  // Enums of the wire are open: later versions may send others.
  const later = 77 as execution2.CommitLevel;
  expect(await getCode(client.createExecutionSession({ commitLevel: later }))).toBe('InvalidArgument');
});

test('a conductor of the wire executes and commits block after block', async () => {
  const { client, sessionId, parentHash, commitmentState, chain } = await served();
  const transactions = [sequenced(signSpend({ nonce: 0 }))];
  const request = { sessionId, parentHash, transactions, timestamp, sequencerBlockHash: SEQUENCER_HASH };
  const { executedBlockMetadata: block } = await client.executeBlock(request);
  expect(block).toMatchObject({ number: 1n, parentHash, timestamp, sequencerBlockHash: SEQUENCER_HASH });
  if (block === undefined || commitmentState === undefined) throw new Error('no answer');

  const updated = await client.updateCommitmentState({
    sessionId,
    commitmentState: { ...commitmentState, softExecutedBlockMetadata: block },
  });
  expect(updated.softExecutedBlockMetadata).toEqual(block);
  expect(chain.view.block).toMatchObject({ executed: 1, refused: 0 });
  const byNumber = await client.getExecutedBlockMetadata({ identifier: { identifier: { case: 'number', value: 1n } } });
  const byHash = await client.getExecutedBlockMetadata({
    identifier: { identifier: { case: 'hash', value: block.hash } },
  });
  expect([byNumber, byHash]).toEqual([block, block]);
});

test('the batch service gives the same block from encoded entries', async () => {
  const one = await served();
  const transactions = [sequenced(signSpend({ nonce: 0 }))];
  const { executedBlockMetadata } = await one.client.executeBlock({
    sessionId: one.sessionId,
    parentHash: one.parentHash,
    transactions,
    timestamp,
    sequencerBlockHash: SEQUENCER_HASH,
  });
  const many = await served();
  const { blocks, commitmentState } = await many.batch.executeBlocks({
    sessionId: many.sessionId,
    parentHash: many.parentHash,
    blocks: [
      { transactions: [encodeSequencedData(signSpend({ nonce: 0 }))], timestamp, sequencerBlockHash: SEQUENCER_HASH },
    ],
    commitFirm: true,
  });
  expect(blocks).toEqual([executedBlockMetadata]);
  expect(commitmentState?.firmExecutedBlockMetadata).toEqual(executedBlockMetadata);
});

test('entries of unknown kinds and broken deposits are passed over', async () => {
  const { client, batch, sessionId, parentHash } = await served();
  const broken = create(sequencerblock.RollupDataSchema, { value: { case: 'deposit', value: { asset: 'x' } } });
  const empty = create(sequencerblock.RollupDataSchema, {});
  const base = { timestamp, sequencerBlockHash: SEQUENCER_HASH };
  const { executedBlockMetadata: skipped } = await client.executeBlock({
    ...base,
    sessionId,
    parentHash,
    transactions: [broken, empty],
  });
  const { executedBlockMetadata: none } = await client.executeBlock({
    ...base,
    sessionId,
    parentHash,
    transactions: [],
  });
  expect(skipped).toEqual(none);
  const encoded = [toBinary(sequencerblock.RollupDataSchema, broken), Uint8Array.of(255), new Uint8Array(0)];
  const { blocks } = await batch.executeBlocks({ sessionId, parentHash, blocks: [{ ...base, transactions: encoded }] });
  expect(blocks).toEqual([none]);
});

test.each([
  ['no timestamp', { timestamp: undefined }],
  ['a time before 1970', { timestamp: { seconds: -1n, nanos: 0 } }],
  ['too many nanoseconds', { timestamp: { seconds: 0n, nanos: 1_000_000_000 } }],
  ['no sequencer block hash', { sequencerBlockHash: '' }],
  ['a hash in upper case', { sequencerBlockHash: 'AB'.repeat(32) }],
  ['a short hash', { sequencerBlockHash: 'ab' }],
])('refuses a block with %s', async (_, change: object) => {
  const { client, batch, sessionId, parentHash } = await served();
  const block = { timestamp, sequencerBlockHash: SEQUENCER_HASH, ...change };
  expect(await getCode(client.executeBlock({ sessionId, parentHash, ...block }))).toBe('InvalidArgument');
  expect(await getCode(batch.executeBlocks({ sessionId, parentHash, blocks: [block] }))).toBe('InvalidArgument');
});

test('refuses requests with parts missing', async () => {
  const { client, sessionId, commitmentState } = await served();
  if (commitmentState === undefined) throw new Error('no commitments');
  const { firmExecutedBlockMetadata: _, ...noFirm } = commitmentState;
  expect(await getCode(client.getExecutedBlockMetadata({}))).toBe('InvalidArgument');
  expect(await getCode(client.getExecutedBlockMetadata({ identifier: {} }))).toBe('InvalidArgument');
  expect(await getCode(client.updateCommitmentState({ sessionId }))).toBe('InvalidArgument');
  expect(await getCode(client.updateCommitmentState({ sessionId, commitmentState: noFirm }))).toBe('InvalidArgument');
});
