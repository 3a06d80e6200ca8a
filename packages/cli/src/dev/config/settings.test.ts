import { appendFileSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Instance, readInstance } from '../instance/instance.ts';
import { planServices } from '../services/services.ts';
import { BUILT, earlierInstance, scratchInstance } from '../testing.ts';
import { checkInstance } from './check/check.ts';
import { effectiveSettings } from './effective.ts';
import { KNOWN_SETTINGS } from './known-settings.ts';
import { setFeeAsset, setNativeAsset, setSequencerChainId } from './setconfig.ts';

/** Services of an instance as they would be started, with our own names, without its directory. */
function planned(instance: Instance) {
  // Version 0.1 had no explorer, no faucet of the messenger, no withdrawers, and no links between pages.
  const services = planServices(instance, {}, BUILT).filter(
    ({ name, builtin }) => name !== 'explorer' && name !== 'messenger-faucet' && builtin !== 'withdrawer',
  );
  // Version 0.1 gave every service the settings of all others.
  const own = services.map(({ builtin, env, ...service }) => {
    const known = builtin && KNOWN_SETTINGS[builtin];
    return { ...service, env: Object.fromEntries(Object.entries(env).filter(([name]) => known?.has(name) ?? true)) };
  });
  const text = JSON.stringify(own);
  return JSON.parse(text.replaceAll(instance.paths.directory, '<instance>'), (key, value: unknown) =>
    key === 'where' ||
    /^(svc_|SVC_EXPLORER_|SWITCHYARD_PAGES|EXPLORER_URL|FAUCET_URL|SVC_FAUCET_(EXPLORER|WALLET_RPC|ROLLUP)_URL)/.test(
      key,
    )
      ? undefined
      : value,
  ) as unknown;
}

const read = (paths: ReturnType<typeof scratchInstance>) => readInstance(paths, 'local', {});

test.each(['messenger', 'messenger,evm', 'evm'])(
  'derived settings of %s start what the explicit ones of version 0.1 did',
  (template) => {
    const earlier = earlierInstance(template);
    // The one setting whose value changed since.
    const base = readFileSync(earlier.base, 'utf8');
    writeFileSync(earlier.base, base.replaceAll(/no_metrics = "?true"?/g, 'no_metrics = "false"'));
    const now = scratchInstance({ template });
    // Version 0.1 had none of these settings.
    writeFileSync(now.base, readFileSync(now.base, 'utf8').replace(/^svc_sequencer_quiet_.*\n/m, ''));
    const networks = readFileSync(now.networks, 'utf8');
    writeFileSync(now.networks, networks.replace('svc_evm_dev_accounts = "true"\n', ''));
    expect(planned(read(now))).toEqual(planned(read(earlier)));
    expect(checkInstance(earlier, { env: {}, builtins: BUILT })).toEqual([]);
  },
);

test.each(['messenger,evm', 'evm'])(
  'names of an instance of version 0.1 (%s) are changed wherever they are',
  (template) => {
    const paths = earlierInstance(template);
    setSequencerChainId(paths, { network: 'local' }, 'mine-1');
    setNativeAsset(paths, { network: 'local' }, 'unit');
    setFeeAsset(paths, { network: 'local' }, 'unit');
    const files = [paths.networks, paths.base].map((path) => readFileSync(path, 'utf8')).join('\n');
    expect(files).not.toMatch(/sequencer-test-chain-0|"ntia"/);
    expect(checkInstance(paths, { env: {}, builtins: BUILT })).toEqual([]);
  },
);

test('the explorer follows the rollups of the network, each by its kind', () => {
  const paths = scratchInstance({ template: 'messenger,evm' });
  const shown = new Map(effectiveSettings(read(paths), 'explorer').map(({ key, value }) => [key, value]));
  expect(shown.get('svc_explorer_rollup_urls')).toBe('http://127.0.0.1:3030');
  expect(shown.get('svc_explorer_evm_urls')).toBe('http://127.0.0.1:8545');
  expect(shown.get('svc_explorer_relayer_url')).toBe('not set');
  const layered = effectiveSettings(read(scratchInstance({ dataAvailability: 'local' })), 'explorer');
  expect(layered).toContainEqual(
    expect.objectContaining({ key: 'svc_explorer_relayer_url', value: 'http://127.0.0.1:2450', from: 'derived' }),
  );
});

test('a setting that no file has follows from another, and config show prints from which', () => {
  const paths = scratchInstance({ template: 'evm' });
  const show = (service: string, key: string) =>
    effectiveSettings(read(paths), service).find((setting) => setting.key === key);
  const edit = (path: string, from: string, to: string) =>
    writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
  edit(paths.networks, 'native_denom = "ntia"', 'native_denom = "unit"');
  edit(paths.base, 'svc_composer_grpc_addr = "127.0.0.1:50052"', 'svc_composer_grpc_addr = "0.0.0.0:7000"');
  expect(show('composer', 'svc_composer_fee_asset')).toMatchObject({
    value: 'unit',
    from: 'derived',
    place: 'networks.local.native_denom',
  });
  expect(show('evm', 'svc_evm_composer_addr')).toMatchObject({
    value: 'http://127.0.0.1:7000',
    from: 'derived',
    place: 'svc_composer_grpc_addr',
  });
  expect(show('sequencer', 'svc_sequencer_rpc_addr')).toMatchObject({
    value: '127.0.0.1:26657',
    from: 'derived',
    place: 'networks.local.sequencer_rpc',
  });
});

test('chat page, faucets and explorer know each other, as far as there are any', () => {
  const paths = scratchInstance({ template: 'messenger,evm', portOffset: 10 });
  const getPlan = () => planServices(read(paths), {}, BUILT);
  const env = () => Object.fromEntries(getPlan().map((service) => [service.name, service.env]));
  const explorer = 'http://127.0.0.1:3043';
  expect(env().rollup).toMatchObject({ FAUCET_URL: 'http://127.0.0.1:3044', EXPLORER_URL: explorer });
  expect(env()['messenger-faucet']).toMatchObject({
    SVC_FAUCET_ROLLUP_URL: 'http://127.0.0.1:3040',
    SVC_FAUCET_EXPLORER_URL: explorer,
    SVC_FAUCET_ALLOWED_ORIGINS: 'http://127.0.0.1:3040,http://localhost:3040',
  });
  expect(env().faucet).toMatchObject({ SVC_FAUCET_WALLET_RPC_URL: 'http://127.0.0.1:8555' });
  for (const name of ['faucet', 'sequencer-faucet', 'evm', 'sequencer']) {
    expect(env()[name]).not.toHaveProperty('SVC_FAUCET_ALLOWED_ORIGINS');
    expect(env()[name]).not.toHaveProperty('FAUCET_URL');
  }
  appendFileSync(paths.base, 'svc_faucet_enabled = "false"\n');
  writeFileSync(paths.base, readFileSync(paths.base, 'utf8').replace('svc_explorer_enabled = "true"', ''));
  appendFileSync(paths.base, 'svc_explorer_enabled = "False"\n');
  expect(getPlan().filter(({ builtin }) => builtin === 'faucet' || builtin === 'explorer')).toEqual([]);
  expect(env().rollup).not.toHaveProperty('FAUCET_URL');
  expect(env().rollup).not.toHaveProperty('EXPLORER_URL');
});

test('where another program has the place of the messenger, its faucet is left out', () => {
  const paths = scratchInstance();
  const text = readFileSync(paths.networks, 'utf8');
  const own = text.replace('name = "rollup"\nversion = "v0.1.0"\ndownload_url = ""\nlocal_path = ""', (table) =>
    table.replace('local_path = ""', 'local_path = "/bin/true"'),
  );
  expect(own).not.toBe(text);
  writeFileSync(paths.networks, own);
  const names = planServices(read(paths), {}, BUILT).map(({ name }) => name);
  expect(names).toContain('rollup');
  expect(names).not.toContain('messenger-faucet');
});

test('an explicit value takes precedence over a derived one', () => {
  const paths = scratchInstance();
  appendFileSync(paths.base, 'composer_addr = "http://127.0.0.1:9"\nsvc_composer_fee_asset = "utia"\n');
  appendFileSync(paths.networks, '\n[networks.local.services.rollup.env]\ncomposer_addr = "unix:/run/composer"\n');
  const env = Object.fromEntries(planServices(read(paths), {}, BUILT).map((service) => [service.name, service.env]));
  expect(env.composer).toMatchObject({ COMPOSER_ADDR: 'http://127.0.0.1:9', SVC_COMPOSER_FEE_ASSET: 'utia' });
  expect(env.rollup).toMatchObject({ COMPOSER_ADDR: 'unix:/run/composer' });
});

test('each conductor is given the rollup in the same place of the file', () => {
  const paths = scratchInstance({ template: 'messenger,evm' });
  const conductors = planServices(read(paths), {}, BUILT).filter(({ builtin }) => builtin === 'conductor');
  expect(conductors.map(({ name, env }) => [name, env.SVC_CONDUCTOR_EXECUTION_RPC_URL])).toEqual([
    ['conductor', 'http://127.0.0.1:50051'],
    ['evm-conductor', 'http://127.0.0.1:50055'],
  ]);
});

test.each([
  ['messenger-evm', 'local'],
  ['cometbft', 'cometbft'],
])('an instance that was written before the plan has every setting as before: %s', (kind, network) => {
  const paths = scratchInstance({ template: 'messenger,evm', dataAvailability: 'local' });
  const directory = join(import.meta.dirname, '..', '..', '..', 'testdata', 'instances', kind);
  copyFileSync(join(directory, 'networks-config.toml'), paths.networks);
  copyFileSync(join(directory, 'base-config.toml'), paths.base);
  const settings: Record<string, Record<string, string>> = {};
  for (const { service, key, value, from } of effectiveSettings(readInstance(paths, network, {}))) {
    // Pages had no menu then.
    if (key === 'switchyard_pages') continue;
    if (service === undefined || service === 'genesis' || from === 'default') continue;
    settings[service] = { ...settings[service], [key]: value.replaceAll(paths.directory, '<instance>') };
  }
  expect(settings).toEqual(JSON.parse(readFileSync(join(directory, 'settings.json'), 'utf8')));
});
