import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Changes } from './changes.ts';
import { ChangeStack } from './stack.ts';

const key = fc.integer({ min: 0, max: 20 }).map(String);
const changes = fc
  .array(fc.tuple(key, fc.uint8Array({ maxLength: 1 })), { maxLength: 8 })
  .map((list): Changes => new Map(list));

test('finds the newest change of every key, however many layers there are', () => {
  fc.assert(
    fc.property(fc.array(changes, { maxLength: 40 }), (layers) => {
      const model = new Map<string, Uint8Array>();
      let stack = ChangeStack.EMPTY;
      layers.forEach((layer, i) => {
        stack = stack.with(layer, i + 1, 0);
        for (const [name, value] of layer) model.set(name, value);
      });
      for (let i = 0; i <= 20; i++) expect(stack.get(String(i))).toBe(model.get(String(i)));
    }),
  );
});

test('leaves the stack below as it was', () => {
  const one = Uint8Array.of(1);
  const stacks = [ChangeStack.EMPTY];
  for (let i = 1; i < 30; i++) stacks.push((stacks[i - 1] ?? ChangeStack.EMPTY).with(new Map([[`${i}`, one]]), i, 0));
  stacks.forEach((stack, i) => {
    for (let j = 1; j < 30; j++) expect(stack.get(`${j}`)).toBe(j <= i ? one : undefined);
  });
});

test('lets go of what is committed', () => {
  const stack = ChangeStack.EMPTY.with(new Map([['a', Uint8Array.of(1)]]), 1, 0).with(new Map(), 2, 1);
  expect(stack.get('a')).toBeUndefined();
});

test('looks into few maps, however many layers there are', () => {
  let lookups = 0;
  class Counted extends Map<string, Uint8Array> {
    override get(name: string): Uint8Array | undefined {
      lookups++;
      return super.get(name);
    }
  }
  let stack = ChangeStack.EMPTY;
  for (let i = 1; i <= 1000; i++) stack = stack.with(new Counted([[`${i}`, Uint8Array.of(1)]]), i, 0);
  expect(stack.get('none')).toBeUndefined();
  expect(stack.get('1')).toBeDefined();
  // Merged maps are plain ones and do not count.
  expect(lookups).toBeLessThan(20);
});
