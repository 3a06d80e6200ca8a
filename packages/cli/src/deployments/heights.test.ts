import { expect, test } from 'vitest';
import { heightsIn, heightsLines, newest } from './heights.ts';

test('a conductor states soft and firm blocks, and what it has read of the layer', () => {
  const body = '{"soft":"264","firm":"262","layerHead":"120","postedHeight":"270","commitLevel":"SoftAndFirm"}';
  expect(heightsIn(body)).toEqual({ soft: 264, firm: 262, layer: 120, posted: 270 });
  expect(heightsIn('{"soft":264,"firm":264}')).toEqual({ soft: 264, firm: 264 });
});

test('blocks that are still to be executed are shown where there are more than usual', () => {
  const heights = heightsIn('{"soft":"5","firm":"5","lag":"700"}');
  expect(heightsLines(heights)).toEqual(['soft 5, firm 5, catching up: 700 sequencer blocks to execute']);
  expect(heightsLines({ ...heights, behind: 2 })).toEqual(['soft 5, firm 5']);
});

test('a relayer states what it has posted; what is ahead is shown', () => {
  const relayer = heightsIn('{"postedHeight":"275","daHeight":"119"}');
  expect(relayer).toEqual({ posted: 275, layer: 119 });
  const all = newest([{ soft: 264, firm: 262, layer: 120, posted: 270 }, relayer]);
  expect(heightsLines(all)).toEqual(['soft 264, firm 262, layer height 120, posted sequencer block 275']);
});

test.each(['', 'not found', '[]', '{"soft":"many","firm":[]}'])('of %j nothing is known', (body) => {
  expect(heightsIn(body)).toEqual({});
  expect(heightsLines({})).toEqual([]);
});

// Defect: `deployment status` did not show that the sequencer makes no blocks
test('a sequencer that makes no blocks is named, be it from the conductor or from the relayer', () => {
  const body = '{"soft":"5","firm":"5","sequencerHalt":"no block since height 9 (2 minutes)"}';
  const line = 'the sequencer makes no blocks: no block since height 9 (2 minutes)';
  expect(heightsLines(newest([{}, heightsIn(body)]))).toEqual(['soft 5, firm 5', line]);
  expect(heightsLines(heightsIn(`{"postedHeight":"9",${body.slice(body.indexOf('"sequencerHalt'))}`))).toEqual([
    'posted sequencer block 9',
    line,
  ]);
});
