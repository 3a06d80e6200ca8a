import { InvalidConfig } from '@switchyard/service';
import { integer, optional } from '@switchyard/service/input';
import { expect, test } from 'vitest';
import { type GenesisFacts, mustNameSequencer, readGenesis } from './genesis.ts';

const file = { rollup_name: 'tally', sequencer_chain_id: 'sequencer-0' };
const nameless = { rollup_name: 'tally' };
const read = (members: object, facts: GenesisFacts = {}) =>
  readGenesis(JSON.stringify(members), 'g.json', { start: optional(integer({ max: 9 }), 0) }, facts);

// Defect: Local genesis did not name the sequencer's chain
test('the chain of the sequencer comes from the file, or from the setting where the file has none', () => {
  expect(read(file).sequencerChainId).toBe('sequencer-0');
  expect(read(file, { sequencerChainId: 'sequencer-0' }).sequencerChainId).toBe('sequencer-0');
  expect(read(nameless, { sequencerChainId: 'sequencer-9' }).sequencerChainId).toBe('sequencer-9');
});

test.each([
  [
    'no sequencer at all',
    () => mustNameSequencer(read(nameless), 'g.json'),
    'g.json: sequencer_chain_id: expected the chain id of the sequencer, got nothing; add the key, or set SEQUENCER_CHAIN_ID',
  ],
  [
    'two sequencers that differ',
    () => read(file, { sequencerChainId: 'sequencer-9' }),
    'g.json: sequencer_chain_id: expected sequencer-9, the value of SEQUENCER_CHAIN_ID, got sequencer-0; make both the same',
  ],
  [
    'the chain id of the sequencer',
    () => read({ ...file, chain_id: 'sequencer-0' }),
    'g.json: chain_id: expected another one than that of the sequencer, got sequencer-0; leave the key out',
  ],
  [
    'the chain id of the sequencer that the setting has named',
    () => read({ ...nameless, chain_id: 'sequencer-9' }, { sequencerChainId: 'sequencer-9' }),
    'g.json: chain_id: expected another one than that of the sequencer, got sequencer-9; leave the key out',
  ],
])('%s is a mistake', (_, work, line) => {
  expect(work).toThrow(InvalidConfig);
  expect(work).toThrow(line);
});

test('a chain id that the file does not choose is the name and a digest of genesis and definition', () => {
  const { chainId } = read(file, { fingerprint: 'ab' });
  expect(chainId).toMatchInlineSnapshot(`"tally-81ed98744261f158"`);
  const others = [
    read(file, { fingerprint: 'cd' }),
    read({ ...file, start: 1 }, { fingerprint: 'ab' }),
    read({ ...file, da_block_variance: 1 }, { fingerprint: 'ab' }),
    read(nameless, { fingerprint: 'ab', sequencerChainId: 'sequencer-9' }),
  ];
  expect(new Set([chainId, ...others.map((each) => each.chainId)]).size).toBe(5);
  expect(read({ ...file, chain_id: 'chosen' }).chainId).toBe('chosen');
});

// Defect: The setting of the sequencer's chain was unknown to handlers and digest
test('the digest depends on what a file means, and not on how it is written', () => {
  const { chainId } = read(file);
  expect(read({ start: 0, sequencerChainId: 'sequencer-0', rollupName: 'tally' }).chainId).toBe(chainId);
  expect(read(nameless, { sequencerChainId: 'sequencer-0' }).chainId).toBe(chainId);
});
