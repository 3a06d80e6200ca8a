import { expect, test } from 'vitest';
import { Failure } from '../../failure.ts';
import type { ClusterApi } from './api.ts';
import { networkHeights, rollupHeights } from './heights.ts';

const parts = [
  { name: 'evm', isReady: true, note: 'pod cosmic-evm-0' },
  { name: 'relayer', isReady: true, note: 'pod main-relayer-0' },
];
const rollup = { family: 'rollup', name: 'cosmic', namespace: 'on' } as const;
const network = { family: 'sequencer', name: 'main', namespace: 'in' } as const;

/** A cluster in whose containers this is printed. */
function clusterWith(printed: string) {
  const asked: string[] = [];
  const api: Pick<ClusterApi, 'run'> = {
    async run({ namespace, pod, container }, command) {
      asked.push(`${namespace}/${pod} ${container} ${/127[\d.:]+/.exec(command.at(-1) ?? '')?.[0]}`);
      return printed;
    },
  };
  return { api, asked };
}

test('those of a rollup are asked of its conductor, those of a network of its relayer', async () => {
  const of = clusterWith('{"soft":"5","firm":"4"}');
  expect(await rollupHeights(of.api, rollup, parts)).toEqual({ heights: { soft: 5, firm: 4 }, parts });
  expect(of.asked).toEqual(['on/cosmic-evm-0 conductor 127.0.0.1:50054']);
  const net = clusterWith('{"postedHeight":"9","daHeight":"3"}');
  expect(await networkHeights(net.api, network, parts)).toEqual({ heights: { posted: 9, layer: 3 }, parts });
  expect(net.asked).toEqual(['in/main-relayer-0 relayer 127.0.0.1:2450']);
});

test('a network without a relayer is not asked', async () => {
  const { api, asked } = clusterWith('{}');
  expect(await networkHeights(api, network, [])).toEqual({ heights: {}, parts: [] });
  expect(asked).toEqual([]);
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
