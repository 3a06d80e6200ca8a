import { Failure } from '@switchyard/service/failure';
import { manualClock } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import type { ClusterApi } from './api.ts';
import { networkHalt, networkHeights, rollupHeights } from './heights.ts';

const parts = [
  { name: 'evm', isReady: true, note: 'pod cosmic-evm-0' },
  { name: 'relayer', isReady: true, note: 'pod main-relayer-0' },
];
const rollup = { family: 'rollup', name: 'cosmic', namespace: 'on' } as const;
const network = { family: 'sequencer', name: 'main', namespace: 'in' } as const;

/** A cluster in whose containers this is printed. */
function clusterWith(printed: string) {
  const wanted: string[] = [];
  const api: Pick<ClusterApi, 'run'> = {
    async run({ namespace, pod, container }, command) {
      wanted.push(`${namespace}/${pod} ${container} ${/127[\d.:]+/.exec(command.at(-1) ?? '')?.[0]}`);
      return printed;
    },
  };
  return { api, asked: wanted };
}

test('those of a rollup are asked of its conductor, those of a network of its relayer', async () => {
  const item = clusterWith('{"soft":"5","firm":"4"}');
  expect(await rollupHeights(item.api, rollup, parts)).toEqual({ heights: { soft: 5, firm: 4 }, parts });
  expect(item.asked).toEqual(['on/cosmic-evm-0 conductor 127.0.0.1:50054']);
  const net = clusterWith('{"postedHeight":"9","daHeight":"3"}');
  expect(await networkHeights(net.api, network, parts)).toEqual({ heights: { posted: 9, layer: 3 }, parts });
  expect(net.asked).toEqual(['in/main-relayer-0 relayer 127.0.0.1:2450']);
});

test('a network without a relayer is not asked', async () => {
  const { api, asked: wanted } = clusterWith('{}');
  expect(await networkHeights(api, network, [])).toEqual({ heights: {}, parts: [] });
  expect(wanted).toEqual([]);
});

test('why they cannot be asked is with the part', async () => {
  const api: Pick<ClusterApi, 'run'> = {
    run: async () => {
      throw new Failure('the cluster does not allow to run it');
    },
  };
  const { heights, parts: shown } = await rollupHeights(api, rollup, parts);
  expect([heights, shown[0]?.note]).toEqual([
    {},
    'pod cosmic-evm-0, heights are not known: the cluster does not allow to run it',
  ]);
  expect(shown[1]).toEqual(parts[1]);
});

// Defect: `sequencer deployment status` of a network without a relayer showed nothing but the height
test('a network that cannot decide is found from the votes that its first node has', async () => {
  const time = '2026-01-02T03:04:05Z';
  const answers: Record<string, object> = {
    'status?': { sync_info: { latest_block_height: '9', latest_block_time: time }, validator_info: { address: 'A' } },
    'validators?per_page=100': { validators: ['A', 'B', 'C'].map((address) => ({ address, voting_power: '1' })) },
    'consensus_state?': {
      round_state: {
        'height/round/step': '10/0/4',
        height_vote_set: [{ prevotes_bit_array: 'BA{3:x__} 1/3 = 0.33' }],
      },
    },
  };
  const api: Pick<ClusterApi, 'run'> = {
    async run(container, command) {
      expect(container).toEqual({ namespace: 'in', pod: 'main-0', container: 'sequencer' });
      const [, path = ''] = /127\.0\.0\.1:26657\/([^']*)/.exec(command.at(-1) ?? '') ?? [];
      return JSON.stringify({ result: answers[path] });
    },
  };
  expect(await networkHalt(api, network, manualClock(Date.parse(time) + 120_000))).toBe(
    '1 of 3 validators vote, 3 are needed, no block since height 9 (2 minutes)',
  );
});
