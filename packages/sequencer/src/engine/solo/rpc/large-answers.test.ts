import { settle } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { LargeAnswers } from './large-answers.ts';

const MB = 1024 * 1024;

test('few answers are made at a time, the others in the order in which they came', async () => {
  const large = new LargeAnswers();
  const begun: number[] = [];
  const finish: (() => void)[] = [];
  const all = Array.from({ length: 7 }, (_, index) =>
    large.make(() => {
      begun.push(index);
      return new Promise((resolve) => finish.push(() => resolve('x')));
    }),
  );
  await settle();
  expect(begun).toEqual([0, 1, 2, 3]);
  finish[2]?.();
  await settle();
  expect(begun).toEqual([0, 1, 2, 3, 4]);
  for (let index = 0; index < 7; index += 1) {
    finish[index]?.();
    await settle();
  }
  expect((await Promise.all(all)).map(({ text }) => text)).toEqual(Array(7).fill('x'));
});

test('no more are made while what was made is not taken', async () => {
  const large = new LargeAnswers();
  const held = [await large.make(async () => 'x'.repeat(40 * MB)), await large.make(async () => 'x'.repeat(40 * MB))];
  let made = false;
  const next = large.make(async () => {
    made = true;
    return 'x';
  });
  await settle();
  expect(made).toBe(false);
  held[0]?.release();
  held[0]?.release();
  await next;
  expect(made).toBe(true);
});

test('a failure gives its place free, and too many who wait are refused', async () => {
  const large = new LargeAnswers();
  for (let count = 0; count < 10; count += 1) {
    await expect(large.make(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  }
  const stuck = Array.from({ length: 260 }, () => large.make(() => new Promise<string>(() => undefined)));
  for (const each of stuck) each.catch(() => undefined);
  await expect(large.make(async () => 'x')).rejects.toThrow('too many requests for large answers at once');
});
