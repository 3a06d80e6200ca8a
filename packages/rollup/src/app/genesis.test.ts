import { createMemoryStore } from '@switchyard/machine';
import { InvalidConfig } from '@switchyard/service';
import { expect, test } from 'vitest';
import { tallyGenesis, tallyRollup } from '../testing/tally.ts';
import { RollupChain } from './chain.ts';
import { withSequencerChain } from './genesis.ts';

const older = tallyGenesis({ sequencerChainId: '' });

test('the chain of the sequencer comes from the file, or from the setting where the file has none', () => {
  expect(withSequencerChain(tallyGenesis(), undefined, 'g.json').sequencerChainId).toBe('sequencer-0');
  expect(withSequencerChain(tallyGenesis(), 'sequencer-0', 'g.json').sequencerChainId).toBe('sequencer-0');
  expect(withSequencerChain(older, 'sequencer-9', 'g.json').sequencerChainId).toBe('sequencer-9');
});

test.each([
  [
    'none at all',
    older,
    undefined,
    'g.json: sequencer_chain_id: expected the chain id of the sequencer, got nothing; add the key, or set SEQUENCER_CHAIN_ID',
  ],
  [
    'two that differ',
    tallyGenesis(),
    'sequencer-9',
    'g.json: sequencer_chain_id: expected sequencer-9, the value of SEQUENCER_CHAIN_ID, got sequencer-0; make both the same',
  ],
])('%s is a mistake', (_, genesis, setting, line) => {
  expect(() => withSequencerChain(genesis, setting, 'g.json')).toThrow(InvalidConfig);
  expect(() => withSequencerChain(genesis, setting, 'g.json')).toThrow(line);
});

test('a database from before the genesis named the chain still opens, and its session names it', async () => {
  const store = createMemoryStore();
  await RollupChain.open(tallyRollup(older), store);
  const chain = await RollupChain.open(tallyRollup(withSequencerChain(older, 'sequencer-9', 'g.json')), store);
  expect((await chain.state()).parameters.sequencerChainId).toBe('sequencer-9');
  await expect(RollupChain.open(tallyRollup(tallyGenesis({ chainId: 'another' })), store)).rejects.toThrow(
    InvalidConfig,
  );
});
