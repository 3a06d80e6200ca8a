import { describeFields } from '@switchyard/service';
import { loadConfig } from '@switchyard/service/settings';
import { expect, test } from 'vitest';
import { fields } from './config.ts';

test('the defaults are those of a local network', () => {
  expect(loadConfig(fields, {})).toMatchObject({
    executionRpcUrl: 'http://127.0.0.1:50051',
    executionCommitLevel: 'SoftIsFirm',
    sequencerGrpcUrl: ['http://127.0.0.1:8080'],
    sequencerCometbftUrl: ['http://127.0.0.1:26657'],
    sequencerBlockTimeMs: 2_000,
    sequencerRequestsPerSecond: 500,
    expectedSequencerChainId: undefined,
    apiListenAddr: { host: '127.0.0.1', port: 50_054 },
  });
});

test('names of the wire are understood, its unused ones passed over', () => {
  const config = loadConfig(fields, {
    ASTRIA_CONDUCTOR_EXECUTION_COMMIT_LEVEL: 'SoftOnly',
    ASTRIA_CONDUCTOR_SEQUENCER_BLOCK_TIME_MS: '500',
    ASTRIA_CONDUCTOR_EXPECTED_SEQUENCER_CHAIN_ID: 'chain-1',
    ASTRIA_CONDUCTOR_CELESTIA_NODE_HTTP_URL: 'http://127.0.0.1:26658',
    ASTRIA_CONDUCTOR_CELESTIA_BLOCK_TIME_MS: '12000',
  });
  expect(config).toMatchObject({
    executionCommitLevel: 'SoftOnly',
    sequencerBlockTimeMs: 500,
    expectedSequencerChainId: 'chain-1',
  });
});

test.each(['FirmOnly', 'SoftAndFirm', 'softandfirm'])('%s is a level', (level) => {
  const { executionCommitLevel } = loadConfig(fields, { SVC_CONDUCTOR_EXECUTION_COMMIT_LEVEL: level });
  expect(executionCommitLevel.toLowerCase()).toBe(level.toLowerCase());
});
test('all mistakes are named at once', () => {
  const load = () =>
    loadConfig(fields, { SVC_CONDUCTOR_SEQUENCER_GRPC_URL: 'localhost', SVC_CONDUCTOR_API_LISTEN_ADDR: '1' });
  expect(load).toThrow(/SEQUENCER_GRPC_URL[\s\S]*API_LISTEN_ADDR/);
});

test('every setting is in the printed reference', () => {
  expect(describeFields(fields)).toContain('SVC_CONDUCTOR_EXECUTION_RPC_URL');
});
