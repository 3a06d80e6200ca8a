import { InvalidConfig, loadConfig } from '@switchyard/service';
import { expect, test } from 'vitest';
import { fields, soloFiles } from './config.ts';

const REQUIRED = {
  SVC_SEQUENCER_DB_FILEPATH: '/data/db',
  SVC_SEQUENCER_GENESIS_FILEPATH: '/data/genesis.json',
  SVC_SEQUENCER_PRIV_VALIDATOR_KEY_FILE: '/data/key.json',
};

test("needs three paths, and has the wire's values for the rest", () => {
  expect(loadConfig(fields, REQUIRED)).toMatchObject({
    grpcAddr: { host: '127.0.0.1', port: 8080 },
    rpcAddr: { host: '127.0.0.1', port: 26657 },
    metricsHttpListenerAddr: { host: '127.0.0.1', port: 9000 },
    dbFilepath: '/data/db',
    blockIntervalMs: 1_000,
    emptyBlockIntervalMs: 2_000,
    mempoolParkedMaxTxCount: 200,
  });
});

test('reads the names of the reference too', () => {
  expect(loadConfig(fields, { ...REQUIRED, ASTRIA_SEQUENCER_GRPC_ADDR: '127.0.0.1:9090' }).grpcAddr.port).toBe(9090);
});

test('names every mistake at once', () => {
  const read = () => loadConfig(fields, { SVC_SEQUENCER_BLOCK_INTERVAL_MS: '0', SVC_SEQUENCER_GRPC_ADDR: 'nope' });
  expect(read).toThrow(InvalidConfig);
  expect(read).toThrow(/GRPC_ADDR[\s\S]*DB_FILEPATH[\s\S]*BLOCK_INTERVAL_MS/);
});

test('the solo engine needs genesis and key, with CometBFT they are its own', () => {
  const config = loadConfig(fields, { SVC_SEQUENCER_ENGINE: 'cometbft', SVC_SEQUENCER_DB_FILEPATH: '/data/db' });
  expect(config).toMatchObject({
    engine: 'cometbft',
    listenAddr: { kind: 'tcp', host: '127.0.0.1', port: 26658 },
    cometbftRpcUrl: 'http://127.0.0.1:26657',
  });
  expect(() => soloFiles(config)).toThrow(/GENESIS_FILEPATH: expected[\s\S]*KEY_FILE: expected/);
});

test.each([
  ['127.0.0.1:1', { kind: 'tcp', host: '127.0.0.1', port: 1 }],
  ['tcp://[::1]:2', { kind: 'tcp', host: '::1', port: 2 }],
  ['unix:///run/app.sock', { kind: 'unix', path: '/run/app.sock' }],
])('CometBFT may connect to %s', (text, expected) => {
  expect(loadConfig(fields, { ...REQUIRED, SVC_SEQUENCER_LISTEN_ADDR: text }).listenAddr).toEqual(expected);
});
