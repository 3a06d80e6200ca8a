import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { swapAll, undoSwap } from './swap.ts';

/** A present state of a file and a directory, a next one of three things, and their places as one value. */
function place() {
  const root = mkdtempSync(join(tmpdir(), 'switchyard-swap-'));
  const at = (...path: string[]) => join(root, ...path);
  mkdirSync(at('data'));
  mkdirSync(at('next', 'data'), { recursive: true });
  writeFileSync(at('data', 'blocks'), 'old blocks');
  writeFileSync(at('genesis'), 'old genesis');
  writeFileSync(at('next', 'data', 'blocks'), 'new blocks');
  writeFileSync(at('next', 'genesis'), 'new genesis');
  writeFileSync(at('next', 'key'), 'new key');
  const read = (path: string) => (existsSync(at(path)) ? readFileSync(at(path), 'utf8') : undefined);
  return {
    at,
    swaps: ['genesis', 'key', 'data'].map((name) => ({ present: at(name), next: at('next', name) })),
    aside: at('aside'),
    present: () => ['data/blocks', 'genesis', 'key'].map(read),
  };
}

const OLD = ['old blocks', 'old genesis', undefined];
const NEW = ['new blocks', 'new genesis', 'new key'];

test('everything changes places, and there is nothing to undo afterwards', () => {
  const { swaps, aside, present } = place();
  swapAll(swaps, aside);
  expect(present()).toEqual(NEW);
  expect(undoSwap(aside)).toBe(false);
  expect(present()).toEqual(NEW);
});

test('when one cannot be moved, all are back', () => {
  const { swaps, aside, present, at } = place();
  rmSync(at('next', 'data'), { recursive: true });
  expect(() => swapAll(swaps, aside)).toThrow('ENOENT');
  expect(present()).toEqual(OLD);
});

test('a swap cut short after any of its steps is undone, also when undoing is cut short and repeated', () => {
  for (let steps = 0; steps <= 5; steps += 1) {
    const { swaps, aside, present, at } = place();
    // A killed process leaves the journal of a whole swap, and the first of its renames.
    mkdirSync(aside);
    const journal = swaps.map((swap) => ({ ...swap, existed: existsSync(swap.present) }));
    writeFileSync(join(aside, 'journal.json'), JSON.stringify(journal));
    const renames = journal.flatMap(({ present: from, next, existed }, index): [string, string][] => [
      ...(existed ? ([[from, join(aside, String(index))]] as [string, string][]) : []),
      [next, from],
    ]);
    for (const [from, to] of renames.slice(0, steps)) {
      cpSync(from, to, { recursive: true });
      rmSync(from, { recursive: true });
    }
    expect(undoSwap(aside)).toBe(true);
    expect(present()).toEqual(OLD);
    writeFileSync(join(aside, 'journal.json'), JSON.stringify(journal));
    undoSwap(aside);
    expect([steps, present()]).toEqual([steps, OLD]);
    expect(readFileSync(at('next', 'data', 'blocks'), 'utf8')).toBe('new blocks');
  }
});

test.each(['', '{"half":', '{}'])('a journal of %j means that nothing was moved yet', (text) => {
  const { aside, present } = place();
  mkdirSync(aside);
  writeFileSync(join(aside, 'journal.json'), text);
  expect(undoSwap(aside)).toBe(false);
  expect(present()).toEqual(OLD);
});
