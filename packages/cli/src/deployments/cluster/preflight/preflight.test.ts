import { TransportFailure } from '@switchyard/service';
import { getWorkloads, type Manifest, manifestText, readManifest, routesIn } from '@switchyard/stack';
import { describe, expect, test } from 'vitest';
import type { Connections, SequencerPort } from '../../../connect.ts';
import { keyFindings } from '../../preflight/keys.ts';
import { sequencerFindings } from '../../preflight/sequencer.ts';
import type { ClusterApi } from '../api.ts';
import { ofOne, WORKLOAD } from '../labels.ts';
import { accessFindings, grouped } from './access.ts';
import { differences } from './chain.ts';
import { classFindings, hostFindings, nameFindings } from './cluster.ts';

/** Key of anvil's first account. */
const PUBLISHED = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const PUBLISHED_ACCOUNT = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
const OWN = '11'.repeat(32);
const OWN_ACCOUNT = '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a';
const keys = { sequencer: OWN, faucet: OWN };

const getManifest = (more: object = {}): Manifest =>
  readManifest(
    manifestText({
      ...{ name: 'cosmic', networkId: 90_210n, sequencerHeight: 42n, sequencerChainId: 'main', feeAsset: 'nria' },
      ...{ sequencerRpc: 'http://sequencer.example.com', genesisAccounts: [{ address: OWN_ACCOUNT, balance: 5n }] },
      ...more,
    }),
  ).manifest;
const brief = (findings: readonly { severity: string; text: string }[]) =>
  findings.map(({ severity, text }) => `${severity}: ${text}`);

describe('keys', () => {
  test('of the user, with funds in the genesis, are good', async () => {
    expect(await keyFindings(getManifest(), keys)).toEqual({ hasDevKey: false, findings: [] });
  });

  test('that are published need the user to insist, and a faucet without funds too', async () => {
    const { hasDevKey, findings } = await keyFindings(getManifest(), { ...keys, faucet: PUBLISHED });
    expect(hasDevKey).toBe(true);
    expect(brief(findings)).toEqual([
      expect.stringMatching(/^risky: --faucet-private-key: a published development key/),
      expect.stringContaining(`risky: the account of the faucet, ${PUBLISHED_ACCOUNT}, is not among`),
    ]);
  });

  test('of a faucet that is off do not matter', async () => {
    const manifest = getManifest({ faucetEnabled: false });
    expect(await keyFindings(manifest, { ...keys, faucet: '' })).toEqual({ hasDevKey: false, findings: [] });
  });
});

describe('the sequencer', () => {
  const port = (more: Partial<SequencerPort> = {}): Partial<SequencerPort> => ({
    chainId: async () => 'main',
    height: async () => 100n,
    balances: async () => [{ asset: 'nria', amount: 1_000_000n }],
    fees: async () => [{ asset: 'nria', amount: 1_032n }],
    allowedFeeAssets: async () => ['nria'],
    ...more,
  });
  const connectTo = (sequencer: Partial<SequencerPort>) =>
    // A method that the test does not give fails when it is called.
    ({ sequencer: async () => sequencer }) as unknown as Connections;
  const found = async (more: Partial<SequencerPort> = {}, manifest = getManifest()) =>
    brief(await sequencerFindings(connectTo(port(more)), manifest, keys));

  test('with a funded account is noted with what a day costs', async () => {
    expect(await found()).toEqual([
      expect.stringMatching(
        /^note: the account on the sequencer, astria1\w+, has 1000000 nria; a bundle of 1000 bytes costs 1032, one each second of a day 89164800$/,
      ),
    ]);
  });

  test.each([
    [
      'another chain',
      { chainId: async () => 'other' },
      /^refused: config\.sequencer\.chainId: expected other, .* got main$/,
    ],
    [
      'a height in the future',
      { height: async () => 41n },
      /^refused: config\.sequencer\.initialBlockHeight: expected at most 41, .* got 42$/,
    ],
    [
      'other assets for fees',
      { allowedFeeAssets: async () => ['ntia', 'utia'] },
      /^refused: config\.composer\.feeAsset: expected one of ntia, utia, which http\S+ takes for fees, got nria: change it with `switchyard rollup config edit config\.composer\.feeAsset ntia`$/,
    ],
    [
      'no funds',
      { balances: async () => [] },
      /^risky: the account on the sequencer, .* has 0 nria, .*: fund it first$/,
    ],
    ['less than a fee', { balances: async () => [{ asset: 'nria', amount: 9n }] }, /^risky: .* has 9 nria/],
  ])('with %s is refused', async (_, more, line) => {
    expect((await found(more))[0]).toMatch(line);
  });

  test('that cannot be reached from here, or is in the cluster, is noted', async () => {
    const away = async () => {
      throw new TransportFailure('GET', { cause: new Error('no') });
    };
    expect(await found({ chainId: away })).toEqual([expect.stringMatching(/^note: .* cannot be reached from here$/)]);
    const inside = getManifest({ sequencerRpc: 'http://sequencer.main.svc:26657' });
    expect(await found({}, inside)).toEqual([expect.stringMatching(/^note: .* its name is one of the cluster$/)]);
  });
});

test('rights that several kinds lack are named once', () => {
  const rights = [
    ...(['Secret', 'ConfigMap'] as const).flatMap((kind) =>
      (['list', 'patch'] as const).map((verb) => ({ kind, verb })),
    ),
    { kind: 'Pod', verb: 'get', subresource: 'log' } as const,
  ];
  expect(grouped(rights)).toBe('list, patch secrets, configmaps; get pods/log');
});

describe('the ingress', () => {
  const traefik = { metadata: { name: 'traefik', annotations: {} } };
  const usual = { metadata: { name: 'nginx', annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } } };

  test.each([
    [{}, [usual], undefined],
    [{ ingressClassName: 'traefik' }, [usual, traefik], undefined],
    [{}, [traefik], /no ingress class is the default; the cluster has traefik/],
    [{}, [], /the cluster has none: install an ingress controller/],
    [{ ingressClassName: 'absent' }, [usual, traefik], /got absent; the cluster has nginx, traefik/],
  ])('with %j', (more, classes, line) => {
    const findings = brief(classFindings(getManifest(more).ingressClassName, classes));
    expect(findings).toEqual(line === undefined ? [] : [expect.stringMatching(line)]);
  });

  test('refuses a host name of another ingress, and not its own', () => {
    const spec = { rules: [{ host: 'faucet.cosmic.localhost' }, { host: 'other.localhost' }] };
    const rollup = { family: 'rollup', name: 'cosmic', namespace: 'switchyard' } as const;
    const hosts = routesIn(getManifest()).map(({ name }) => name);
    const own = { metadata: { name: 'cosmic', namespace: 'switchyard', labels: ofOne(rollup) }, spec };
    const elsewhere = { metadata: { ...own.metadata, namespace: 'others' }, spec };
    expect(hostFindings(rollup, hosts, [own])).toEqual([]);
    expect(brief(hostFindings(rollup, hosts, [own, elsewhere]))).toEqual([
      expect.stringMatching(
        /^refused: the host name faucet\.cosmic\.localhost is that of Ingress cosmic in namespace others/,
      ),
    ]);
  });
});

describe('names', () => {
  const shared = { daNetwork: 'mocha-5', labelPrefix: 'shared' };
  const found = async (manifest: Manifest, there: readonly object[]) => {
    // Lists existing objects of the requested kind.
    const list = (async (kind: string) =>
      there.filter((object) => 'kind' in object && object.kind === kind)) as ClusterApi['list'];
    const { name, namespace } = manifest;
    const one = { family: 'rollup', name, namespace } as const;
    return brief(await nameFindings({ list }, one, getWorkloads(manifest, keys)));
  };

  test('of its own objects are free to it', async () => {
    expect(await found(getManifest(shared), getWorkloads(getManifest(shared), keys))).toEqual([]);
  });

  test('of a light node that another rollup has are refused once, with the key that chooses them', async () => {
    const other = getWorkloads(getManifest({ ...shared, name: 'nova' }), keys);
    expect(await found(getManifest(shared), other)).toEqual([
      'refused: da-node.config.labelPrefix: expected another one than shared, which the light node of rollup nova has in namespace switchyard',
    ]);
    expect(await found(getManifest({ ...shared, daNetwork: undefined }), other)).toEqual([]);
  });

  test('of objects of others are refused', async () => {
    const labels = { [WORKLOAD]: 'da-light' };
    const there = [{ kind: 'Secret', metadata: { name: 'shared-da-light-access', labels } }];
    expect(await found(getManifest(shared), there)).toEqual([
      'refused: Secret shared-da-light-access in namespace switchyard belongs to others: give the rollup another name or namespace',
    ]);
  });
});

test('shows what differs between two genesis files, by its path', () => {
  const before = { config: { chainId: 1, london: 0 }, alloc: [] };
  expect(differences(before, before)).toEqual([]);
  expect(differences(before, { config: { chainId: 2 }, alloc: [] })).toEqual([
    'config.chainId was 1, would be 2',
    'config.london was 0, would be absent',
  ]);
});

test('a right that only some deployments need is asked for and named', async () => {
  const exec = { verb: 'create', kind: 'Pod', subresource: 'exec', namespace: 'on' } as const;
  const api = {
    context: 'here',
    mayI: async ({ subresource }: { readonly subresource?: string }) => subresource !== 'exec',
  };
  expect(await accessFindings(api, 'on')).toEqual([]);
  expect(brief(await accessFindings(api, 'on', [exec]))).toEqual([
    'refused: context here may not create pods/exec in namespace on: use another context, or have these rights granted',
  ]);
});
