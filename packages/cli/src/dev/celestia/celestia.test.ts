import { createHmac, createPrivateKey, createPublicKey } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { relayerAccount } from '@switchyard/network/accounts';
import { parseCelestiaAddress } from '@switchyard/protocol/celestia';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { checkInstance } from '../config/check/check.ts';
import { valueAt } from '../files/toml.ts';
import { initInstance } from '../init/init.ts';
import { requireLayer } from '../init/require-layer.ts';
import type { InstancePaths } from '../instance/home.ts';
import { readInstance } from '../instance/instance.ts';
import { planServices } from '../services/services.ts';
import { BUILT, scratchInstance, scratchPaths } from '../testing.ts';
import { accountIn } from './keys.ts';
import { celestiaPaths } from './layout.ts';
import { withAccounts, withPeerAddress, withValidator } from './prepare.ts';
import { peerIdIn } from './stored-key.ts';

const text = (path: string) => readFileSync(path, 'utf8');

/** Programs of these names, which are never run here. */
function withPrograms(paths: InstancePaths): NodeJS.ProcessEnv {
  mkdirSync(paths.bin);
  for (const name of ['celestia', 'celestia-appd']) symlinkSync(process.execPath, join(paths.bin, name));
  return { PATH: '/nowhere' };
}

test('an instance with Celestia has its three nodes at ports of its own, and services that follow them', () => {
  const paths = scratchInstance({ dataAvailability: 'celestia', portOffset: 100 });
  const env = withPrograms(paths);
  expect(checkInstance(paths, { env, builtins: BUILT })).toEqual([]);
  const planned = planServices(readInstance(paths, 'local', env), env, BUILT);
  const find = (name: string) => planned.find((each) => each.name === name);
  expect(find('celestia-app')).toMatchObject({ command: join(paths.bin, 'celestia-appd'), after: [], endless: true });
  expect(find('celestia-app')?.ports.map(({ port }) => port)).toEqual([27750, 27751, 27752, 27753]);
  expect(find('celestia-bridge')?.ports.map(({ port }) => port)).toEqual([27754, 27755]);
  expect(find('celestia-light')).toMatchObject({ command: join(paths.bin, 'celestia'), after: ['celestia-bridge'] });
  expect(find('celestia-light')?.env.CELESTIA_CUSTOM).toBe(
    `celestia-dev::/ip4/127.0.0.1/tcp/27755/p2p/${peerIdIn(celestiaPaths(paths).bridgeKey)}`,
  );
  expect(find('conductor')?.env).toMatchObject({
    SVC_CONDUCTOR_EXECUTION_COMMIT_LEVEL: 'SoftAndFirm',
    SVC_CONDUCTOR_CELESTIA_NODE_HTTP_URL: 'http://127.0.0.1:27756',
    SVC_CONDUCTOR_CELESTIA_TOKEN_FILE: celestiaPaths(paths).readToken,
    SVC_CONDUCTOR_EXPECTED_CELESTIA_CHAIN_ID: 'celestia-dev',
    SVC_CONDUCTOR_CELESTIA_HEADER_FILEPATH: join(paths.data, 'celestia', 'conductor-header.json'),
  });
  expect(find('relayer')?.env).toMatchObject({
    SVC_RELAYER_DA_GRPC_ENDPOINT: 'http://127.0.0.1:27752',
    SVC_RELAYER_DA_CHAIN_ID: 'celestia-dev',
  });
});

test('without the programs there is one line with how to get them', () => {
  const paths = scratchInstance({ dataAvailability: 'celestia' });
  const env = { PATH: '/nowhere' };
  expect(() => planServices(readInstance(paths, 'local', env), env, BUILT)).toThrow(
    `celestia and celestia-appd are not here: \`switchyard dev install celestia\` builds them into ${join(paths.home, 'bin')}; or give their directory with --celestia-path DIRECTORY, or put them on PATH`,
  );
});

test('keys are of mode 600, new for each instance, and stay', () => {
  const [one, other] = [scratchPaths(), scratchPaths()].map((paths) => {
    initInstance(paths, { dataAvailability: 'celestia' });
    return paths;
  }) as [InstancePaths, InstancePaths];
  const files = ({ bridgeKey, lightSecret, readToken, relayerKey }: ReturnType<typeof celestiaPaths>) => [
    ...[bridgeKey, lightSecret, readToken, relayerKey],
  ];
  const before = files(celestiaPaths(one)).map(text);
  for (const path of files(celestiaPaths(one))) expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(
    files(celestiaPaths(other))
      .map(text)
      .filter((each) => before.includes(each)),
  ).toEqual([]);
  initInstance(one, {});
  expect(files(celestiaPaths(one)).map(text)).toEqual(before);
  expect(parseCelestiaAddress(accountIn(one.relayerKey))).toHaveLength(40);
});

test('the light node can check the token, and the id of the bridge node has its public key', () => {
  const paths = scratchInstance({ dataAvailability: 'celestia' });
  const { lightSecret, readToken, bridgeKey } = celestiaPaths(paths);
  const body = (path: string) => Buffer.from(JSON.parse(text(path)).body, 'base64');
  const [head = '', claims = '', signature] = text(readToken).trim().split('.');
  expect(createHmac('sha256', body(lightSecret)).update(`${head}.${claims}`).digest('base64url')).toBe(signature);
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString()).Allow).toEqual(['public', 'read']);
  // PKCS 8 around the seed, which follows the four bytes of libp2p.
  const seed = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), body(bridgeKey).subarray(4, 36)]);
  const key = createPublicKey(createPrivateKey({ key: seed, format: 'der', type: 'pkcs8' }));
  const raw = key.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
  expect(peerIdIn(bridgeKey)).toBe(`f0172002408011220${raw}`);
  writeFileSync(bridgeKey, '{"body":"AAAA"}');
  expect(() => peerIdIn(bridgeKey)).toThrow(`${bridgeKey}: expected a key of Ed25519`);
});

test('a missing instance is made with its layer, which cannot be changed', () => {
  const paths = scratchPaths();
  expect(requireLayer(paths, 'celestia', 7)).toEqual(
    expect.arrayContaining(['networks-config.toml', 'config/base-config.toml', 'config/relayer_dev_priv_key']),
  );
  expect(text(paths.relayerKey)).not.toBe(relayerAccount.key);
  const services = valueAt(parse(text(paths.networks)), ['networks', 'local', 'services']);
  expect(services).toMatchObject({ 'celestia-light': {} });
  expect(requireLayer(paths, 'celestia', undefined)).toEqual([]);
  expect(() => requireLayer(paths, 'local', undefined)).toThrow(
    'instance test has data availability celestia, asked for is local: take another instance: `switchyard dev init --data-availability local --instance NAME`',
  );
});

test('a genesis gets accounts and the validator, and nothing else changes', () => {
  const made = JSON.stringify({
    chain_id: 'celestia-dev',
    app_state: { auth: { params: {}, accounts: [] }, bank: { balances: [], supply: [] }, genutil: { gen_txs: [] } },
  });
  const genesis = withAccounts(made, 'genesis.json', [{ address: 'celestia1a', utia: 10n ** 12n }]);
  expect(JSON.parse(withValidator(genesis, 'genesis.json', { body: {} }))).toEqual({
    chain_id: 'celestia-dev',
    app_state: {
      auth: {
        params: {},
        accounts: [
          {
            '@type': '/cosmos.auth.v1beta1.BaseAccount',
            address: 'celestia1a',
            pub_key: null,
            account_number: '0',
            sequence: '0',
          },
        ],
      },
      bank: {
        balances: [{ address: 'celestia1a', coins: [{ denom: 'utia', amount: '1000000000000' }] }],
        supply: [],
      },
      genutil: { gen_txs: [{ body: {} }] },
    },
  });
  expect(() => withAccounts('{}', 'genesis.json', [])).toThrow('genesis.json: app_state.auth.accounts: is absent');
});

test('a node is reached at one address, and all its other settings stay', () => {
  const config =
    '[P2P]\nListenAddresses = ["/ip4/0.0.0.0/tcp/2121"]\nNoAnnounceAddresses = ["/ip4/127.0.0.1/tcp/2121"]\nPeerExchange = true\n[P2P.ConnManager]\nLow = 800\n[Node]\nStartupTimeout = "2m0s"\n';
  const changed = withPeerAddress(config, 'config.toml', '/ip4/127.0.0.1/tcp/7');
  expect(parse(changed)).toEqual({
    P2P: {
      ListenAddresses: ['/ip4/127.0.0.1/tcp/7'],
      NoAnnounceAddresses: [],
      PeerExchange: true,
      ConnManager: { Low: 800 },
    },
    Node: { StartupTimeout: '2m0s' },
  });
  expect(withPeerAddress(changed, 'config.toml', '/ip4/127.0.0.1/tcp/7')).toBe(changed);
});
