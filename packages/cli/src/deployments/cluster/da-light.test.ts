import type { V1Pod } from '@kubernetes/client-node';
import type { UnixMs } from '@switchyard/service';
import { Failure } from '@switchyard/service/failure';
import { manualClock } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import type { ClusterApi } from './api.ts';
import { daLightProgress, withDaLightHead } from './da-light.ts';

const rollup = { family: 'rollup', name: 'cosmic', namespace: 'on' } as const;
const part = { name: 'da-light', isReady: true, note: 'pod cosmic-da-light-0' };
const wall = { unixMs: () => Date.UTC(2026, 10, 23, 15, 0, 10) as UnixMs };
const podWith = (state: object): V1Pod => ({
  metadata: { name: 'cosmic-da-light-0' },
  status: {
    containerStatuses: [{ ...{ name: 'da-light', image: '', imageID: '', ready: true, restartCount: 0 }, state }],
  },
});

/** A cluster with one pod, in which this is printed. */
function clusterWith(pod: V1Pod, run: () => string): Pick<ClusterApi, 'list' | 'run'> {
  return {
    // Only pods are listed.
    list: async (kind) => (kind === 'Pod' ? [pod as never] : []),
    run: async (container, command) => {
      expect({ container, command }).toEqual({
        container: { namespace: 'on', pod: 'cosmic-da-light-0', container: 'da-light' },
        command: ['/bin/da-light', 'head'],
      });
      return run();
    },
  };
}

const printed = '{"height":"42","time":"2026-11-23T15:00:07.5Z"}\n';

test.each([
  ['its head', () => printed, 'pod cosmic-da-light-0, head 42, 3 s old'],
  ['what it printed otherwise', () => 'oops', /^pod cosmic-da-light-0, the head of the light node: expected JSON/],
  [
    'why it cannot be asked',
    () => {
      throw new Failure('the cluster does not allow to run it');
    },
    'pod cosmic-da-light-0, the cluster does not allow to run it',
  ],
])('shows %s', async (_, run, note) => {
  const shown = await withDaLightHead(clusterWith(podWith({ running: {} }), run), rollup, part, wall);
  expect(shown).toEqual({ ...part, note: typeof note === 'string' ? note : expect.stringMatching(note) });
});

test('asks no container that does not run, and no other part', async () => {
  const api = clusterWith(podWith({ waiting: {} }), () => printed);
  expect(await withDaLightHead(api, rollup, part, wall)).toEqual(part);
  const evm = { ...part, name: 'evm' };
  const running = clusterWith(podWith({ running: {} }), () => printed);
  expect(await withDaLightHead(running, rollup, evm, wall)).toEqual(evm);
});

test('while it is waited for, it is asked when something has changed, and now and then', async () => {
  const clock = manualClock();
  let wanted = 0;
  const api = clusterWith(podWith({ running: {} }), () => {
    wanted += 1;
    return printed;
  });
  const progress = daLightProgress(api, rollup, clock);
  const waiting = { ...part, isReady: false, note: 'da-light is not ready' };
  expect((await progress(waiting)).note).toMatch(/^da-light is not ready, head 42, /);
  await progress(waiting);
  expect(wanted).toBe(1);
  await progress({ ...waiting, note: 'da-light is not ready, 1 restart' });
  expect(wanted).toBe(2);
  await clock.advance(10_000);
  await progress({ ...waiting, note: 'da-light is not ready, 1 restart' });
  expect(wanted).toBe(3);
  expect(await progress(part)).toBe(part);
});
