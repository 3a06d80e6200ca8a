import { afterEach, describe, expect, test } from 'vitest';
import type { BlockInput, Executor } from './executor.ts';

/** An executor with a life of its own, for the suite. */
export interface ExecutorFixture {
  readonly executor: Executor;
  /** Kills the executor's process and starts it again; resolves with the same executor. */
  reopen(): Promise<Executor>;
  /** Input that does something, different for every number, valid on any parent. */
  input(number: number): BlockInput;
  close?(): Promise<void>;
}

const seconds = (number: number) => ({ seconds: BigInt(1_700_000_000 + number), nanos: 7 * number });

/** Contract of every executor, regardless of the machine behind it. */
export function executorSuite(name: string, create: () => Promise<ExecutorFixture>): void {
  describe(`executor: ${name}`, () => {
    const fixtures: ExecutorFixture[] = [];
    afterEach(async () => {
      for (const fixture of fixtures.splice(0)) await fixture.close?.();
    });
    const fresh = async () => {
      const fixture = await create();
      fixtures.push(fixture);
      return fixture;
    };
    const getSoft = async (executor: Executor) => (await executor.state()).commitments.soft;
    /** Moves both pointers to a block. */
    const settle = async (executor: Executor, hash: string) => {
      const { lowestCelestiaSearchHeight } = (await executor.state()).commitments;
      return executor.commit({ soft: hash, firm: hash, lowestCelestiaSearchHeight });
    };

    test('begins with the block before the first as soft and firm', async () => {
      const { executor } = await fresh();
      const { parameters, commitments } = await executor.state();
      expect(commitments.soft).toEqual(commitments.firm);
      expect(commitments.soft.number).toBe(parameters.rollupStartNumber - 1n);
      expect(await executor.block({ number: commitments.soft.number })).toEqual(commitments.soft);
      expect(await executor.block({ hash: commitments.soft.hash })).toEqual(commitments.soft);
    });

    test('keeps what made a block firm, with the commitment, and over a restart', async () => {
      const fixture = await fresh();
      const { executor, input } = fixture;
      expect((await executor.state()).firmMeaning).toBeUndefined();
      const first = await executor.executeBatch((await getSoft(executor)).hash, [input(1)], { firm: false });
      expect((await executor.state()).firmMeaning).toBeUndefined();
      const { hash } = first.commitments.soft;
      const { lowestCelestiaSearchHeight } = first.commitments;
      await executor.commit({ soft: hash, firm: hash, lowestCelestiaSearchHeight, firmMeaning: 'posted' });
      expect((await executor.state()).firmMeaning).toBe('posted');
      const again = await fixture.reopen();
      expect((await again.state()).firmMeaning).toBe('posted');
      await again.executeBatch(hash, [input(2)], { firm: true });
      expect((await again.state()).firmMeaning).toBe('posted');
    });

    test('a batch that is firm at once keeps what made it so', async () => {
      const fixture = await fresh();
      const { executor, input } = fixture;
      const { hash } = await getSoft(executor);
      await executor.executeBatch(hash, [input(1)], { firm: true, firmMeaning: 'signed' });
      expect((await (await fixture.reopen()).state()).firmMeaning).toBe('signed');
    });

    test('executing keeps parent, time and sequencer block, and moves no pointer', async () => {
      const { executor, input } = await fresh();
      const before = await executor.state();
      const parent = before.commitments.soft;
      const block = await executor.execute(parent.hash, input(1));
      expect(block).toMatchObject({
        number: parent.number + 1n,
        parentHash: parent.hash,
        timestamp: input(1).timestamp,
        sequencerBlockHash: input(1).sequencerBlockHash,
      });
      expect(await executor.state()).toEqual(before);
      expect(await executor.block({ hash: block.hash })).toEqual(block);
    });

    test('executing the same again gives the same block, other input another one', async () => {
      const { executor, input } = await fresh();
      const { hash } = await getSoft(executor);
      const first = await executor.execute(hash, input(1));
      const other = await executor.execute(hash, input(2));
      expect(other.hash).not.toBe(first.hash);
      expect(await executor.execute(hash, input(1))).toEqual(first);
      await settle(executor, first.hash);
      expect(await getSoft(executor)).toEqual(first);
    });

    test('what was executed and not committed leaves no trace after a restart', async () => {
      const fixture = await fresh();
      const before = await fixture.executor.state();
      const block = await fixture.executor.execute(before.commitments.soft.hash, fixture.input(1));
      const again = await fixture.reopen();
      expect(await again.state()).toEqual(before);
      expect(await again.block({ hash: block.hash })).toBeUndefined();
      expect(await again.block({ number: block.number })).toBeUndefined();
      expect(await again.execute(before.commitments.soft.hash, fixture.input(1))).toEqual(block);
    });

    test('commitments and the blocks below them survive a restart', async () => {
      const fixture = await fresh();
      const blocks = [await getSoft(fixture.executor)];
      for (let number = 1; number <= 3; number += 1) {
        const block = await fixture.executor.execute(blocks.at(-1)?.hash ?? '', fixture.input(number));
        blocks.push(block);
        await settle(fixture.executor, block.hash);
      }
      const committed = await fixture.executor.state();
      const again = await fixture.reopen();
      expect(await again.state()).toEqual(committed);
      for (const block of blocks) {
        expect(await again.block({ number: block.number })).toEqual(block);
        expect(await again.block({ hash: block.hash })).toEqual(block);
      }
    });

    test('firm follows soft, and repeating a commitment changes nothing', async () => {
      const { executor, input } = await fresh();
      const start = (await executor.state()).commitments;
      const lowestCelestiaSearchHeight = start.lowestCelestiaSearchHeight + 3n;
      const block = await executor.execute(start.soft.hash, input(1));
      const softOnly = { ...start, soft: block };
      expect(
        await executor.commit({ ...hashes(softOnly), lowestCelestiaSearchHeight: start.lowestCelestiaSearchHeight }),
      ).toEqual(softOnly);
      const both = { soft: block, firm: block, lowestCelestiaSearchHeight };
      const request = { soft: block.hash, firm: block.hash, lowestCelestiaSearchHeight };
      expect(await executor.commit(request)).toEqual(both);
      expect(await executor.commit(request)).toEqual(both);
      expect((await executor.state()).commitments).toEqual(both);
    });

    test('firm may move while a block above soft is executed and not committed', async () => {
      const { executor, input } = await fresh();
      const { soft, lowestCelestiaSearchHeight } = (await executor.state()).commitments;
      const first = await executor.execute(soft.hash, input(1));
      await executor.commit({ soft: first.hash, firm: soft.hash, lowestCelestiaSearchHeight });
      const second = await executor.execute(first.hash, input(2));
      await executor.commit({ soft: first.hash, firm: first.hash, lowestCelestiaSearchHeight });
      await settle(executor, second.hash);
      expect(await getSoft(executor)).toEqual(second);
    });

    test('a batch gives the blocks that single calls give, and commits the last', async () => {
      const one = await fresh();
      const inputs = [1, 2, 3].map(one.input);
      const blocks = [];
      let parent = await getSoft(one.executor);
      for (const input of inputs) {
        parent = await one.executor.execute(parent.hash, input);
        blocks.push(parent);
        await settle(one.executor, parent.hash);
      }
      const { executor } = await fresh();
      const start = (await executor.state()).commitments;
      const batch = await executor.executeBatch(start.soft.hash, inputs.slice(0, 2), { firm: false });
      expect(batch).toEqual({ blocks: blocks.slice(0, 2), commitments: { ...start, soft: blocks[1] } });
      const rest = await executor.executeBatch(batch.commitments.soft.hash, inputs.slice(2), { firm: true });
      expect(rest).toEqual({ blocks: blocks.slice(2), commitments: { ...start, soft: blocks[2], firm: blocks[2] } });
    });

    test('what a block was made from is kept with it, and has no part in what it is', async () => {
      const fixture = await fresh();
      const { executor, input } = fixture;
      const { hash } = await getSoft(executor);
      const plain = await executor.execute(hash, input(1));
      const digest = new Uint8Array(32).fill(7);
      const block = await executor.execute(hash, { ...input(1), digest });
      expect(block).toEqual(plain);
      expect(await executor.inputDigest(block.number)).toBeUndefined();
      await settle(executor, block.hash);
      expect(await executor.inputDigest(block.number)).toEqual(digest);
      const again = await fixture.reopen();
      expect(await again.inputDigest(block.number)).toEqual(digest);
      expect(await again.inputDigest(block.number - 1n)).toBeUndefined();
      expect(await again.inputDigest(block.number + 1n)).toBeUndefined();
    });

    test('a block without a digest is followed by one that has one', async () => {
      const { executor, input } = await fresh();
      const first = await executor.execute((await getSoft(executor)).hash, input(1));
      await settle(executor, first.hash);
      const digest = new Uint8Array(32).fill(9);
      const { blocks } = await executor.executeBatch(first.hash, [{ ...input(2), digest }], { firm: true });
      expect(await executor.inputDigest(first.number)).toBeUndefined();
      expect(await executor.inputDigest(blocks[0]?.number ?? -1n)).toEqual(digest);
    });

    test('an empty block is a block', async () => {
      const { executor, input } = await fresh();
      const { hash } = await getSoft(executor);
      const block = await executor.execute(hash, { ...input(1), entries: [] });
      await settle(executor, block.hash);
      expect(await getSoft(executor)).toEqual(block);
    });

    test('what a stranger puts into a block never stops it', async () => {
      const { executor, input } = await fresh();
      const { hash } = await getSoft(executor);
      const garbage = [[], [0], [255, 255], new Array(300).fill(10)].map((bytes) => ({
        kind: 'sequencedData' as const,
        data: Uint8Array.from(bytes),
      }));
      const entries = [...garbage, { kind: 'unknown' as const }, ...input(1).entries, ...garbage];
      const block = await executor.execute(hash, { ...input(1), entries });
      expect(await executor.execute(hash, { ...input(1), entries })).toEqual(block);
      await settle(executor, block.hash);
      expect(await getSoft(executor)).toEqual(block);
    });

    test('knows no block that it has not executed', async () => {
      const { executor } = await fresh();
      expect(await executor.block({ number: 99n })).toBeUndefined();
      expect(await executor.block({ hash: 'f'.repeat(64) })).toBeUndefined();
      expect(await executor.block({ hash: 'no hash' })).toBeUndefined();
    });

    test('time comes from the input alone', async () => {
      const { executor, input } = await fresh();
      const { hash } = await getSoft(executor);
      const early = await executor.execute(hash, { ...input(1), timestamp: seconds(1) });
      const late = await executor.execute(hash, { ...input(1), timestamp: seconds(2) });
      expect([early.timestamp, late.timestamp]).toEqual([seconds(1), seconds(2)]);
      expect(early.hash).not.toBe(late.hash);
    });
  });
}

function hashes({
  soft,
  firm,
}: {
  readonly soft: { readonly hash: string };
  readonly firm: { readonly hash: string };
}) {
  return { soft: soft.hash, firm: firm.hash };
}
