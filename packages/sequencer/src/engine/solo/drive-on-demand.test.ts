import { settle } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import type { MakeBlock } from '../engine.ts';
import { driveOnDemand } from './drive-on-demand.ts';

function start({ first = Promise.resolve(), fails = 0 }: { first?: Promise<void>; fails?: number } = {}) {
  const controller = new AbortController();
  const blocks: string[] = [];
  let finish: () => void = () => undefined;
  let makeBlock: MakeBlock | undefined;
  const driven = driveOnDemand({
    ...{ first, signal: controller.signal },
    offer: (each) => {
      makeBlock = each;
    },
    async make() {
      const number = blocks.length + 1;
      blocks.push(`begun ${number}`);
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      if (number === fails) throw new Error('the disk is full');
      blocks[number - 1] = `made ${number}`;
    },
  });
  return { blocks, driven, finish: () => finish(), stop: () => controller.abort(), makeBlock: () => makeBlock?.() };
}

test('blocks are made one after the other, each when it was asked for', async () => {
  const { blocks, driven, finish, makeBlock, stop } = start();
  await settle();
  expect(blocks).toEqual([]);
  const both = Promise.all([makeBlock(), makeBlock()]);
  await settle();
  expect(blocks).toEqual(['begun 1']);
  finish();
  await settle();
  expect(blocks).toEqual(['made 1', 'begun 2']);
  finish();
  await both;
  stop();
  await driven;
  expect(blocks).toEqual(['made 1', 'made 2']);
});

test('a block comes after the first one of the chain', async () => {
  let begin: () => void = () => undefined;
  const first = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const { blocks, driven, finish, makeBlock, stop } = start({ first });
  const made = makeBlock();
  await settle();
  expect(blocks).toEqual([]);
  begin();
  await settle();
  finish();
  await made;
  stop();
  await driven;
});

test('at the end a block that was begun is finished, and whoever waits for one gets an error', async () => {
  const { blocks, driven, finish, makeBlock, stop } = start();
  const waiting = [makeBlock(), makeBlock()].map((each) => expect(each).rejects.toThrow('the sequencer has ended'));
  await settle();
  stop();
  await Promise.all(waiting);
  finish();
  await driven;
  expect(blocks).toEqual(['made 1']);
  await expect(makeBlock()).rejects.toThrow('the sequencer has ended');
});

test('a block that cannot be made ends the engine with its error', async () => {
  const { driven, finish, makeBlock } = start({ fails: 1 });
  const waiting = expect(makeBlock()).rejects.toThrow('the disk is full');
  await settle();
  finish();
  await waiting;
  await expect(driven).rejects.toThrow('the disk is full');
});
