import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readInstance } from '../instance/instance.ts';
import { scratchInstance } from '../testing.ts';
import { effectiveSettings } from './effective.ts';
import { isSecret } from './hidden.ts';

const read = (paths: ReturnType<typeof scratchInstance>) => readInstance(paths, 'local', {});

test('each setting shows its origin: the service, the network, the base file, a default', () => {
  const paths = scratchInstance();
  appendFileSync(paths.networks, '\n[networks.local.services.composer.env]\nsvc_composer_fee_asset = "nria"\n');
  const settings = effectiveSettings(read(paths));
  const find = (key: string) => settings.find((setting) => setting.service === 'composer' && setting.key === key);
  expect(find('svc_composer_fee_asset')).toEqual({
    service: 'composer',
    key: 'svc_composer_fee_asset',
    value: 'nria',
    from: 'networks-config.toml',
    place: 'networks.local.services.composer.env.svc_composer_fee_asset',
  });
  expect(find('svc_composer_sequencer_chain_id')).toMatchObject({
    value: 'sequencer-test-chain-0',
    place: 'networks.local.sequencer_chain_id',
  });
  expect(find('svc_composer_grpc_addr')).toMatchObject({ value: '127.0.0.1:50052', from: 'base-config.toml' });
  expect(find('svc_composer_max_queue_bytes')).toEqual({
    service: 'composer',
    key: 'svc_composer_max_queue_bytes',
    value: '33554432',
    from: 'default',
  });
});

test('a service shows its own settings only, with the free keys that reach it', () => {
  const paths = scratchInstance();
  appendFileSync(paths.base, 'my_rollup_mode = "fast"\n');
  const keys = effectiveSettings(read(paths), 'Rollup').map(({ key }) => key);
  expect(keys).toContain('rest_addr');
  expect(keys).toContain('my_rollup_mode');
  expect(keys.filter((key) => key.startsWith('svc_'))).toEqual([]);
  expect(effectiveSettings(read(paths)).find(({ key }) => key === 'my_rollup_mode')?.service).toBe('every service');
});

test('an unknown service is answered with the nearest', () => {
  const paths = scratchInstance();
  expect(() => effectiveSettings(read(paths), 'conducter')).toThrow(
    'no service "conducter" in network local, there is sequencer, composer, conductor, rollup, withdrawer, messenger-faucet, explorer; did you mean "conductor"?',
  );
});

test('secrets are hidden, wherever they stand', () => {
  const paths = scratchInstance();
  const text = readFileSync(paths.networks, 'utf8').replace(
    'sequencer_grpc = "http://',
    'sequencer_grpc = "http://me:hunter2@',
  );
  writeFileSync(paths.networks, text);
  appendFileSync(paths.base, 'faucet_private_key = "hunter2"\nbearer_token = "hunter2"\n');
  const all = JSON.stringify(effectiveSettings(read(paths)));
  expect(all).toContain('http://[hidden]@127.0.0.1:8080');
  expect(all).not.toContain('hunter2');
});

test.each([
  ['SVC_COMPOSER_PRIVATE_KEY_FILE', false],
  ['FAUCET_PRIV_KEY', true],
  ['PRIVATE_KEY', true],
  ['SVC_CONDUCTOR_CELESTIA_BEARER_TOKEN', true],
  ['OTEL_EXPORTER_OTLP_HEADERS', true],
  ['MAX_TOKENS_PER_SECOND', false],
  ['REST_ADDR', false],
])('%s is a secret: %s', (name, secret) => {
  expect(isSecret(name)).toBe(secret);
});
