import { expect, test } from 'vitest';
import { checkPosted } from './posted.ts';

type Seen = Parameters<typeof checkPosted>[0];

/** Three blocks, of which the last one is newer than the awaited one. */
const good: Seen = {
  sequencerBlocks: [
    { height: 1, hash: 'a1', parentHash: '' },
    { height: 2, hash: 'a2', parentHash: 'a1' },
    { height: 3, hash: 'a3', parentHash: 'a2' },
  ],
  rollupBlocks: [
    { number: 1, hash: 'b1', parentHash: 'b0', sequencerHash: 'a1' },
    { number: 2, hash: 'b2', parentHash: 'b1', sequencerHash: 'a2' },
  ],
  sequenced: new Map([
    ['t0', [1]],
    ['t1', [3]],
  ]),
  posted: {
    blocks: [
      { height: 1, hash: 'a1', layerHeight: 7 },
      { height: 2, hash: 'a2', layerHeight: 7 },
    ],
    data: new Map([['t0', ['a1']]]),
    paid: 1,
    lists: 1,
  },
  firm: [
    { number: 0, hash: '' },
    { number: 1, hash: 'b1' },
    { number: 2, hash: 'b2' },
  ],
  upTo: 2,
  genesisHeight: 0,
};
const violations = (over: Partial<Seen>): string[] => checkPosted({ ...good, ...over }).map(({ check }) => check);
const posted = (over: Partial<Seen['posted']>): string[] => violations({ posted: { ...good.posted, ...over } });
const [one, two] = good.posted.blocks;
if (one === undefined || two === undefined) throw new Error('two blocks');

test('a run in which all was posted and became firm has no violations', () => {
  expect(violations({})).toEqual([]);
});

test.each<[string, Partial<Seen['posted']>, readonly string[]]>([
  ['a block that was skipped', { blocks: [one] }, ['not-posted']],
  ['a block that was posted twice', { blocks: [one, two, { ...two, layerHeight: 8 }] }, ['posted-twice']],
  ['another block of that height', { blocks: [one, { ...two, hash: 'xx' }] }, ['posted-other']],
  ['a later block before an earlier one', { blocks: [two, one] }, ['posted-order']],
  ['a fee that was paid twice', { paid: 2 }, ['paid']],
  ['data that was not posted', { data: new Map() }, ['posted-data']],
  ['data that was posted twice', { data: new Map([['t0', ['a1', 'a1']]]) }, ['posted-data']],
  ['data that was posted of another block', { data: new Map([['t0', ['a2']]]) }, ['posted-data']],
])('found is %s', (_, over, expected) => {
  expect(posted(over)).toEqual(expected);
});

test('found is a firm block that the rollup does not have', () => {
  expect(violations({ firm: [...good.firm, { number: 1, hash: 'other' }] })).toEqual(['firm']);
});

test('found is a rollup whose firm block is not as far as what was posted', () => {
  expect(violations({ firm: good.firm.slice(0, 2) })).toEqual(['firm']);
});
