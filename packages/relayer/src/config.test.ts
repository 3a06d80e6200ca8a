import { InvalidConfig, loadConfig } from '@switchyard/service';
import { expect, test } from 'vitest';
import { fields } from './config.ts';

const enough = {
  SVC_RELAYER_SEQUENCER_CHAIN_ID: 'c',
  SVC_RELAYER_DA_CHAIN_ID: 'celestia',
  SVC_RELAYER_PRIVATE_KEY_FILE: '/k',
  SVC_RELAYER_DB_FILEPATH: '/d',
};

test('four settings are enough', () => {
  expect(loadConfig(fields, enough)).toMatchObject({
    ...{ startHeight: 1, batchMs: 6_000, maxBatchBytes: 1_000_000, onlyIncludeRollups: [], allowDevKey: false },
    apiListenAddr: { host: '127.0.0.1', port: 2_450 },
    maxGasPrice: '0.1',
  });
});

test('the settings of the original are read too', () => {
  const one = Buffer.alloc(32, 1);
  const env = {
    SVC_RELAYER_DB_FILEPATH: '/d',
    ASTRIA_SEQUENCER_RELAYER_SEQUENCER_CHAIN_ID: 'c',
    ASTRIA_SEQUENCER_RELAYER_CELESTIA_CHAIN_ID: 'mocha-4',
    ASTRIA_SEQUENCER_RELAYER_COMETBFT_ENDPOINT: 'http://127.0.0.1:1',
    ASTRIA_SEQUENCER_RELAYER_SEQUENCER_GRPC_ENDPOINT: 'http://127.0.0.1:2',
    ASTRIA_SEQUENCER_RELAYER_CELESTIA_APP_GRPC_ENDPOINT: 'http://127.0.0.1:3',
    ASTRIA_SEQUENCER_RELAYER_CELESTIA_APP_KEY_FILE: '/key',
    ASTRIA_SEQUENCER_RELAYER_BLOCK_TIME: '1000',
    ASTRIA_SEQUENCER_RELAYER_ONLY_INCLUDE_ROLLUPS: `${one.toString('base64')}, ${'02'.repeat(32)}`,
    ASTRIA_SEQUENCER_RELAYER_API_ADDR: '127.0.0.1:4',
    ASTRIA_SEQUENCER_RELAYER_LOG: 'debug',
    ASTRIA_SEQUENCER_RELAYER_NO_METRICS: 'true',
    ASTRIA_SEQUENCER_RELAYER_METRICS_HTTP_LISTENER_ADDR: '127.0.0.1:5',
  };
  expect(loadConfig(fields, env)).toMatchObject({
    ...{ sequencerChainId: 'c', daChainId: 'mocha-4', privateKeyFile: '/key', sequencerBlockTimeMs: 1_000 },
    sequencerAbciEndpoint: ['http://127.0.0.1:1'],
    sequencerGrpcEndpoint: ['http://127.0.0.1:2'],
    daGrpcEndpoint: ['http://127.0.0.1:3'],
    onlyIncludeRollups: ['01'.repeat(32), '02'.repeat(32)],
    apiListenAddr: { port: 4 },
    noMetrics: true,
    metricsHttpListenerAddr: { port: 5 },
  });
});

test('all mistakes are named at once', () => {
  const env = {
    ...enough,
    SVC_RELAYER_MAX_GAS_PRICE: 'cheap',
    SVC_RELAYER_MAX_BATCH_BYTES: '3000000',
    SVC_RELAYER_ONLY_INCLUDE_ROLLUPS: 'AAAA',
  };
  let thrown: unknown;
  try {
    loadConfig(fields, env);
  } catch (error) {
    thrown = error;
  }
  if (!(thrown instanceof InvalidConfig)) throw thrown;
  expect(thrown.problems.map(({ variable }) => variable).sort()).toEqual([
    'SVC_RELAYER_MAX_BATCH_BYTES',
    'SVC_RELAYER_MAX_GAS_PRICE',
    'SVC_RELAYER_ONLY_INCLUDE_ROLLUPS',
  ]);
});
