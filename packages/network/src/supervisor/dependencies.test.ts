import { expect, test } from 'vitest';
import { blockedBy, type Dependent, unmet } from './dependencies.ts';
import type { ServiceState } from './events.ts';

const service = (name: string, state: ServiceState, after: string[] = [], needs: string[] = []): Dependent => ({
  spec: { name, after, needs },
  status: { state },
});

test('a service waits for those that are neither ready nor finished', () => {
  const all = [service('db', 'ready'), service('migrate', 'finished'), service('api', 'starting')];
  expect(unmet(service('web', 'waiting', ['db', 'migrate', 'api']), all)).toEqual(['api']);
});

test('a failed service blocks what depends on it, also through others and in a circle', () => {
  const all = [
    service('base', 'failed'),
    service('direct', 'waiting', ['base']),
    service('indirect', 'restarting', [], ['direct']),
    service('back', 'starting', ['indirect'], ['back']),
    service('running', 'ready', [], ['base']),
    service('other', 'waiting', ['running']),
  ];
  expect(blockedBy('base', all)).toEqual(['direct', 'indirect', 'back']);
});
