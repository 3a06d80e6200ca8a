import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import { loadKubeconfig } from './kubeconfig.ts';

const directory = mkdtempSync(join(tmpdir(), 'switchyard-kubeconfig-'));

function place(name: string, current = name): string {
  const cluster = { name, cluster: { server: `https://${name}.test:6443` } };
  const text = JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': current, clusters: [cluster] },
    users: [{ name, user: { token: 'secret' } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  });
  const file = join(directory, `${name}.conf`);
  writeFileSync(file, text);
  return file;
}

const [one, two] = [place('one'), place('two')];
const load = (choice: object, env: NodeJS.ProcessEnv = {}) =>
  loadKubeconfig(choice, { env: { HOME: directory, ...env }, directory }, () => new KubeConfig());
const createServer = (config: KubeConfig) => config.getCurrentCluster()?.server;

test('takes the file of the flag before that of the variable, and merges those of the variable', () => {
  expect(createServer(load({ kubeconfig: 'one.conf' }, { KUBECONFIG: two }))).toBe('https://one.test:6443');
  expect(createServer(load({}, { KUBECONFIG: `${two}:${one}` }))).toBe('https://two.test:6443');
  expect(createServer(load({ context: 'one' }, { KUBECONFIG: `${two}:${one}` }))).toBe('https://one.test:6443');
});

test.each([
  [{}, {}, /\.kube\/config: cannot be read: .*: make a cluster, .* or name its kubeconfig with --kubeconfig$/],
  [
    { kubeconfig: one, context: 'three' },
    {},
    /^--context: expected one of the kubeconfig \(one\), got the context three$/,
  ],
  [
    { kubeconfig: place('lost', 'gone') },
    {},
    /^--context: expected one of the kubeconfig \(lost\), got the context gone$/,
  ],
  [{ kubeconfig: bad('a: [') }, {}, /bad\.conf: expected a kubeconfig, got \S/],
])('refuses %j in one line', (choice, env, message) => {
  expect(() => load(choice, env)).toThrow(message);
});

function bad(text: string): string {
  const file = join(directory, 'bad.conf');
  writeFileSync(file, text);
  return file;
}
