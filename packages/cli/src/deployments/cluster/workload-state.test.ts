import type { V1ContainerState, V1Pod, V1StatefulSet } from '@kubernetes/client-node';
import { describe, expect, test } from 'vitest';
import { workloadState } from './observe.ts';

const set: V1StatefulSet = {
  metadata: { name: 'cosmic-evm', generation: 2 },
  status: { observedGeneration: 2, updateRevision: 'new', replicas: 1 },
};

interface PodChoice {
  readonly state?: V1ContainerState;
  readonly lastState?: V1ContainerState;
  readonly restarts?: number;
  readonly isReady?: boolean;
  readonly revision?: string;
  readonly unscheduled?: string;
}

function pod({ state, lastState, restarts = 0, isReady = false, revision = 'new', unscheduled }: PodChoice): V1Pod {
  const scheduled = { type: 'PodScheduled', status: unscheduled === undefined ? 'True' : 'False' };
  const status = { name: 'composer', ready: isReady, image: '', imageID: '', restartCount: restarts };
  return {
    metadata: { name: 'cosmic-evm-0', labels: { 'controller-revision-hash': revision } },
    status: {
      conditions: [
        { type: 'Ready', status: isReady ? 'True' : 'False' },
        unscheduled === undefined ? scheduled : { ...scheduled, message: unscheduled },
      ],
      containerStatuses:
        state === undefined ? [] : [{ ...status, state, ...(lastState === undefined ? {} : { lastState }) }],
    },
  };
}

const running = { running: {} };
const ended = { terminated: { exitCode: 1, reason: 'Error' } };
const crashed = { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 10s' } };

test('is ready with a pod of the newest revision that is ready', () => {
  const ready = pod({ state: running, isReady: true });
  expect(workloadState(set, [ready], [])).toEqual({ isReady: true, note: 'pod cosmic-evm-0', telling: [] });
});

test.each([
  ['an earlier revision', set, pod({ state: running, isReady: true, revision: 'old' })],
  [
    'a change that no controller has seen yet',
    { ...set, status: { ...set.status, replicas: 1, observedGeneration: 1 } },
    pod({ state: running, isReady: true }),
  ],
])('is not ready with a pod of %s', (_, item, one) => {
  expect(workloadState(item, [one], [])).toMatchObject({ isReady: false, note: 'the pod is to be replaced' });
});

describe('tells why it is not ready', () => {
  test.each([
    [
      'a pod without a node',
      { unscheduled: '0/1 nodes are available: 1 Insufficient memory.' },
      'pending: 0/1 nodes are available: 1 Insufficient memory.',
    ],
    [
      'an image that is not there',
      { state: { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "a/b:1"' } } },
      'composer ImagePullBackOff: Back-off pulling image "a/b:1"',
    ],
    [
      'a crash',
      { state: crashed, lastState: ended, restarts: 3 },
      'composer CrashLoopBackOff, ended with status 1, 3 restarts',
    ],
    [
      'too little memory',
      { state: running, lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } }, restarts: 1 },
      'composer is starting, killed for its memory (see resources in the manifest), 1 restart',
    ],
    ['a process that ended', { state: ended }, 'composer ended with status 1'],
    ['a pod that its node has just got', {}, 'starting'],
    ['containers that are being made', { state: { waiting: { reason: 'ContainerCreating' } } }, 'starting'],
  ])('%s', (_, choice, note) => {
    expect(workloadState(set, [pod(choice)], [])).toMatchObject({ isReady: false, note });
  });

  test('no pod, with the last warning about it', () => {
    expect(workloadState(set, [], ['first', 'exceeded quota: small']).note).toBe('no pod: exceeded quota: small');
    expect(workloadState(undefined, [], []).note).toBe('not applied');
  });
});

test('names the containers whose log tells more', () => {
  const one = { pod: 'cosmic-evm-0', container: 'composer' };
  expect(workloadState(set, [pod({ state: crashed, lastState: ended })], []).telling).toEqual([
    { ...one, hasCrashed: true },
  ]);
  expect(workloadState(set, [pod({ state: running })], []).telling).toEqual([{ ...one, hasCrashed: false }]);
  expect(workloadState(set, [pod({ state: { waiting: { reason: 'ErrImagePull' } } })], []).telling).toEqual([]);
});

test('a pod of an earlier revision that is not ready stands in the way of the next one', () => {
  expect(workloadState(set, [pod({ state: crashed, revision: 'old' })], []).stuckPod).toBe('cosmic-evm-0');
  expect(workloadState(set, [pod({ state: crashed })], []).stuckPod).toBeUndefined();
  expect(workloadState(set, [pod({ state: running, isReady: true, revision: 'old' })], []).stuckPod).toBeUndefined();
});

describe('of several pods', () => {
  const four: V1StatefulSet = { ...set, spec: { replicas: 4, serviceName: '', selector: {}, template: {} } };
  const good = pod({ state: running, isReady: true });

  test('is ready with all of them', () => {
    expect(workloadState(four, [good, good, good, good], [])).toEqual({ isReady: true, note: '4 pods', telling: [] });
    expect(workloadState(four, [good, good, good], [])).toMatchObject({
      ...{ isReady: false, note: '3 of 4 pods, pods are missing' },
    });
  });

  test('reports the first that is not, and names the containers of all', () => {
    const bad = pod({ state: crashed, lastState: ended });
    expect(workloadState(four, [good, bad, good, bad], [])).toMatchObject({
      ...{ isReady: false, note: '2 of 4 pods, composer CrashLoopBackOff, ended with status 1' },
      telling: [{ hasCrashed: true }, { hasCrashed: true }],
    });
  });

  test('a container that has to end before the others is named while it has not ended well', () => {
    const status = { name: 'place', ready: false, image: '', imageID: '', restartCount: 0 };
    const withInit = (state: V1ContainerState): V1Pod => ({
      ...good,
      status: {
        ...pod({ state: { waiting: { reason: 'PodInitializing' } } }).status,
        initContainerStatuses: [{ ...status, state }],
      },
    });
    expect(workloadState(set, [withInit({ terminated: { exitCode: 1 } })], []).note).toBe('place ended with status 1');
    expect(workloadState(set, [withInit({ terminated: { exitCode: 0 } })], []).note).toBe('starting');
  });
});
