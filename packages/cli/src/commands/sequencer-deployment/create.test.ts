import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { switchyard } from '../../switchyard.ts';
import { runWith } from '../../testing.ts';

function place() {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-sequencers-'));
  const create = (args: string) => {
    const words = ['sequencer', 'deployment', 'create', '--dry-run', ...args.split(' ').filter((word) => word !== '')];
    return runWith((cli, connect) => switchyard(cli, words, connect), words, { directory });
  };
  return { directory, create };
}

interface Read {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly stringData?: Readonly<Record<string, string>>;
  readonly data?: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests assert
  readonly spec?: any;
}

/** What our own command printed. */
const objectsIn = (json: string) => JSON.parse(json) as readonly Read[];
const kindOf = (objects: readonly Read[], kind: string) => objects.filter((each) => each.kind === kind);

test('prints all objects without keys; the directory is closed to others, and the same again gives the same', async () => {
  const { directory, create } = place();
  const first = await create('--name main --validators 4 --full-nodes 1');
  expect(first).toMatchObject({ status: 0, stderr: expect.stringContaining('main-network: keep them') });
  const key = readFileSync(join(directory, 'main-network', 'node-2', 'cometbft', 'config', 'priv_validator_key.json'));
  const secret = JSON.parse(String(key)).priv_key.value;
  expect(first.stdout).not.toContain(secret);
  expect((await create('--name main --show-secrets')).stdout).toContain(secret);
  expect(statSync(join(directory, 'main-network')).mode & 0o777).toBe(0o700);
  expect(await create('--name main')).toEqual({ ...first, stderr: '' });

  const objects = objectsIn((await create('--name main --json')).stdout);
  expect(objects.map(({ kind }) => kind)).toEqual([
    ...['Namespace', 'ServiceAccount', 'Secret', 'ConfigMap', 'ConfigMap', 'Service', 'Service'],
    ...['NetworkPolicy', 'PodDisruptionBudget', 'StatefulSet', 'Ingress'],
  ]);
  const [set] = kindOf(objects, 'StatefulSet');
  expect(set?.spec).toMatchObject({ replicas: 5, serviceName: 'main-nodes', podManagementPolicy: 'Parallel' });
  const [secrets] = kindOf(objects, 'Secret');
  expect(Object.keys(secrets?.stringData ?? {})).toContain('main-4.priv_validator_key.json');
  const [network] = kindOf(objects, 'ConfigMap');
  expect(network?.data?.['main-0.config.toml']).toContain('@main-4.main-nodes.main.svc:26656');
});

test.each([
  [1, 1],
  [3, 1],
  [4, 1],
  [7, 2],
  [10, 3],
])('of %d validators a drain may take %d', async (validators, most) => {
  const { stdout } = await place().create(`--validators ${validators} --json`);
  const [budget] = kindOf(objectsIn(stdout), 'PodDisruptionBudget');
  expect(budget?.spec.maxUnavailable).toBe(most);
});

test.each([
  ['--validators 5', /^--validators: the network in .* was made with 4, got 5$/m],
  ['--chain-id other', /^--chain-id: the network in .* was made with switchyard-sequencer, got other$/m],
  ['--namespace other', /^--namespace: the network in .* was made with sequencer, got other$/m],
  ['--native-denom utia', /^--native-denom: .* made with ntia, got utia$/m],
])('%s does not fit the network that is there', async (args, reason) => {
  const { create } = place();
  expect((await create('')).status).toBe(0);
  expect(await create(args)).toMatchObject({ status: 1, stderr: expect.stringMatching(reason), stdout: '' });
});

test.each([
  ['--name Main', /^--name: expected a lower-case letter/],
  [`--name ${'n'.repeat(53)}`, /^--name: .*at most 52/],
  ['--validators 0', /^--validators: expected a whole number from 1 to 32/],
  ['--storage-size 5', /^--storage-size: expected a size such as 5Gi, got "5"/],
  ['--hostname a/b', /^--hostname: expected a domain/],
  ['--account absent=5', /^--account: expected an address/],
])('%s is refused, and nothing is written', async (args, reason) => {
  const { directory, create } = place();
  expect(await create(args)).toMatchObject({ status: 2, stderr: expect.stringMatching(reason) });
  expect(() => statSync(join(directory, 'sequencer-network'))).toThrow();
});

test('a directory that is not of a network, and one that lacks a file, are refused', async () => {
  const { directory, create } = place();
  writeFileSync(join(directory, 'x'), '');
  expect(await create(`--files ${directory}`)).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^--files: .* is not empty, and no network was made there/),
  });
  await create('');
  rmSync(join(directory, 'sequencer-network', 'node-1', 'cometbft', 'config', 'node_key.json'));
  expect(await create('')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/node_key\.json: cannot be read/),
  });
});
