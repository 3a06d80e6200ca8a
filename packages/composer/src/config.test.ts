import { InvalidConfig, loadConfig } from '@switchyard/service';
import { expect, test } from 'vitest';
import { fields } from './config.ts';

const enough = {
  SVC_COMPOSER_SEQUENCER_CHAIN_ID: 'c',
  SVC_COMPOSER_PRIVATE_KEY_FILE: '/k',
  SVC_COMPOSER_DB_FILEPATH: '/d',
};

test('three settings are enough', () => {
  expect(loadConfig(fields, enough)).toMatchObject({
    grpcAddr: { host: '127.0.0.1', port: 50_052 },
    apiListenAddr: { host: '127.0.0.1', port: 50_053 },
    sequencerChainId: 'c',
    maxBytesPerBundle: 200_000,
    feeAsset: { text: 'nria' },
    allowDevKey: false,
  });
});

test('the names of the original are read too', () => {
  const env = {
    ...enough,
    ASTRIA_COMPOSER_FEE_ASSET: 'ntia',
    SVC_COMPOSER_BLOCK_TIME_MS: '25',
    svc_composer_rollups: '',
  };
  expect(loadConfig(fields, env)).toMatchObject({ feeAsset: { text: 'ntia' }, maxSubmitIntervalMs: 25 });
});

test('all mistakes are named at once', () => {
  const env = {
    SVC_COMPOSER_PRIVATE_KEY_FILE: '/k',
    SVC_COMPOSER_ROLLUPS: 'chain::http://127.0.0.1:8545',
    SVC_COMPOSER_FEE_ASSET: 'not an asset',
    SVC_COMPOSER_MAX_BYTES_PER_BUNDLE: '10',
    SVC_COMPOSER_SEQUENCER_GRPC_ENDPOINT: 'nowhere',
  };
  let thrown: unknown;
  try {
    loadConfig(fields, env);
  } catch (error) {
    thrown = error;
  }
  if (!(thrown instanceof InvalidConfig)) throw thrown;
  expect(thrown.problems.map(({ variable }) => variable).sort()).toEqual([
    'SVC_COMPOSER_DB_FILEPATH',
    'SVC_COMPOSER_FEE_ASSET',
    'SVC_COMPOSER_MAX_BYTES_PER_BUNDLE',
    'SVC_COMPOSER_ROLLUPS',
    'SVC_COMPOSER_SEQUENCER_CHAIN_ID',
    'SVC_COMPOSER_SEQUENCER_GRPC_ENDPOINT',
  ]);
});
