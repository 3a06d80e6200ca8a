import { Input } from '@switchyard/service/input';
import { expect, test } from 'vitest';
import { toRollup } from '../../define/rollup-of.ts';
import { testNode } from '../../testing/test-node.ts';
import { book } from './book.testing.ts';
import { askedPart } from './live-contract.ts';
import { type Following, NOTHING, PartReader } from './parts.ts';
import { toPart } from './to-part.ts';

// Defect: A read between a commit and its listeners was of the changes before, and was repeated without an end
test('reads are of the newest blocks before the listeners of a commit have been called', async () => {
  const genesis = JSON.stringify({ rollup_name: 'book', sequencer_chain_id: 'sequencer-0' });
  const definition = toRollup(book, genesis);
  const node = await testNode(definition);
  const reader = new PartReader({
    get view() {
      return node.chain.view;
    },
  });
  const part = toPart(definition, askedPart(new Input([{ id: 1, table: 'notes' }], 'live_follow')));
  const at = { part, place: part.begin(node.chain.view) };
  let following: Following = { ...NOTHING, parts: new Map([[1, at]]) };
  const follow = () => {
    for (let reads = 0; reads < 10; reads += 1) {
      const read = reader.read(following);
      if (read === undefined) return reads;
      following = read.next;
    }
    throw new Error('never up to date');
  };
  expect(follow()).toBe(1);
  await node.block();
  expect(follow()).toBe(1);
  await node.stop();
});
