import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { switchyard } from '../../switchyard.ts';
import { type FakeWorld, runWith } from '../../testing.ts';

const home = mkdtempSync(join(tmpdir(), 'switchyard-providers-'));
afterAll(() => rmSync(home, { recursive: true }));

/** Programs that record how they are called, and know these clusters. */
function place(programs: readonly ('kind' | 'k3d')[], { clusters = [] as string[], fails = '' } = {}) {
  const directory = mkdtempSync(join(home, 'place-'));
  const bin = join(directory, 'bin');
  const log = join(directory, 'calls');
  mkdirSync(bin);
  writeFileSync(log, '');
  const json = JSON.stringify(clusters.map((name) => ({ name, serversCount: 1 })));
  for (const program of programs) {
    const script = `#!/bin/sh
case "$*" in
  *"get clusters"*) printf '%s\\n' ${clusters.join(' ')}; exit ;;
  *"cluster list"*) printf '%s' '${json}'; exit ;;
esac
printf '%s\\n' "${program} $*" "$(cat)" >>${log}
echo "working on it" >&2
${fails === '' ? '' : `echo "${fails}" >&2; exit 1`}
`;
    writeFileSync(join(bin, program), script);
    chmodSync(join(bin, program), 0o755);
  }
  writeFileSync(join(directory, 'image.tar'), '');
  const run = (args: string, world: FakeWorld = {}) => {
    const words = ['cluster', ...args.split(' ')];
    const env = { PATH: [bin, '/usr/bin', '/bin'].join(delimiter) };
    return runWith((cli, connect) => switchyard(cli, words, connect), words, { directory, env, ...world });
  };
  const calls = () =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  return { directory, run, calls };
}

test('kind makes a cluster whose node has the two ports', async () => {
  const { run, calls } = place(['kind', 'k3d']);
  const { status, stdout, stderr } = await run('create --http-port 8000 --https-port 8443');
  expect([status, stderr]).toEqual([0, 'kind: working on it\n']);
  expect(stdout).toContain('next: switchyard cluster deploy-ingress-controller');
  const [call, config = ''] = calls();
  expect(call).toBe('kind create cluster --name switchyard --wait 180s --config -');
  expect(JSON.parse(config).nodes[0].extraPortMappings).toEqual([
    { containerPort: 80, hostPort: 8000, listenAddress: '127.0.0.1', protocol: 'TCP' },
    { containerPort: 443, hostPort: 8443, listenAddress: '127.0.0.1', protocol: 'TCP' },
  ]);
});

test('k3d makes one whose load balancer has them', async () => {
  const { run, calls } = place(['kind', 'k3d']);
  expect(await run('create --provider k3d --name other')).toMatchObject({ status: 0 });
  expect(calls()).toEqual([
    'k3d cluster create other --wait --port 127.0.0.1:80:80@loadbalancer --port 127.0.0.1:443:443@loadbalancer',
  ]);
});

test.each([
  ['kind', 'load-image image.tar', 'kind load image-archive DIR/image.tar --name switchyard'],
  ['kind', 'delete --yes', 'kind delete cluster --name switchyard'],
  ['k3d', 'load-image image.tar', 'k3d image import DIR/image.tar --cluster switchyard'],
  ['k3d', 'delete --yes', 'k3d cluster delete switchyard'],
] as const)('with %s: %s', async (program, args, call) => {
  const { directory, run, calls } = place([program], { clusters: ['switchyard', 'theirs'] });
  expect(await run(args)).toMatchObject({ status: 0 });
  expect(calls()).toEqual([call.replace('DIR', directory)]);
});

test('a cluster is deleted after a yes, and not without a terminal', async () => {
  const { run, calls } = place(['kind'], { clusters: ['switchyard'] });
  expect(await run('delete')).toMatchObject({ status: 1, stderr: expect.stringMatching(/not a terminal: .*--yes/) });
  expect(await run('delete', { answer: 'n' })).toMatchObject({ status: 1 });
  expect(calls()).toEqual([]);
  expect(await run('delete', { answer: 'y' })).toMatchObject({ status: 0 });
  expect(calls()).toEqual(['kind delete cluster --name switchyard']);
});

test.each([
  ['no provider is there', [], 'create', /^no kind or k3d on PATH: install one/],
  ['an unknown provider', ['kind'], 'create --provider minikube', /^--provider: expected kind or k3d, got "minikube"/],
  ['one that is absent', ['kind'], 'create --provider k3d', /^--provider: k3d is not on PATH/],
  ['a name that is taken', ['kind'], 'create --name theirs', /^--name: expected the name of no cluster, got theirs/],
  ['a name that looks like an option', ['kind'], 'create --name=--all', /^--name: expected at most 32 lower-case/],
  ['a port that is none', ['kind'], 'create --http-port 0', /^--http-port: expected a whole number from 1 to 65535/],
  ['one port for both', ['kind'], 'create --http-port 443', /^--https-port: expected another port/],
  ['an unknown cluster', ['kind'], 'delete --yes', /^--name: .* got switchyard: it has theirs/],
  ['a file that is not there', ['kind'], 'load-image none.tar', /none\.tar: cannot be read: /],
] as const)('refuses %s', async (_, programs, args, message) => {
  const { run, calls } = place(programs, { clusters: ['theirs'] });
  const { status, stdout, stderr } = await run(args);
  expect(status).not.toBe(0);
  expect(stdout).toBe('');
  expect(stderr).toMatch(message);
  expect(calls()).toEqual([]);
});

test('what a provider reports last is the reason of its failure', async () => {
  const { run } = place(['kind'], { fails: 'ERROR: docker is not running' });
  const { status, stderr } = await run('create');
  expect(status).toBe(1);
  expect(stderr).toMatch(/^kind create cluster --name switchyard .* failed: ERROR: docker is not running$/m);
});
