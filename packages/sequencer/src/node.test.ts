/** A whole node over real sockets and disk: the path that every block takes, and a restart. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@connectrpc/connect';
import {
  decodeFilteredBlock,
  decodeSignedHeader,
  formatAddress,
  rollupIdBytes,
  signTransaction,
  toHex,
  verifyCommit,
  verifyFilteredBlock,
} from '@switchyard/protocol';
import { ownSequencer, sequencerService } from '@switchyard/protocol/gen';
import { createMetrics, grpcTransport, InvalidConfig, loadConfig } from '@switchyard/service';
import { eventually, memoryLogger } from '@switchyard/service/testing';
import { afterEach, expect, test } from 'vitest';
import { alice, appStateJson, bob, CHAIN_ID, CHAT, data, sudo, validator } from './app/testing.ts';
import { fields } from './config.ts';
import { connectAbci } from './engine/comet/testing.ts';
import { runNode } from './node.ts';

const cleanups: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (let cleanup = cleanups.pop(); cleanup !== undefined; cleanup = cleanups.pop()) await cleanup();
});

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

function directoryWith(appState = appStateJson()): string {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-node-'));
  cleanups.push(() => rmSync(directory, { recursive: true, force: true }));
  const publicKey = { type: 'tendermint/PubKeyEd25519', value: base64(validator.publicKey) };
  const secret = Buffer.concat([new Uint8Array(32).fill(9), validator.publicKey]);
  writeGenesis(directory, appState);
  writeFileSync(
    join(directory, 'key.json'),
    JSON.stringify({
      address: validator.account.toUpperCase(),
      pub_key: publicKey,
      priv_key: { type: 'tendermint/PrivKeyEd25519', value: base64(secret) },
    }),
    { mode: 0o600 },
  );
  return directory;
}

function writeGenesis(directory: string, appState: Record<string, unknown>, chainId = CHAIN_ID, indent = 0): void {
  const publicKey = { type: 'tendermint/PubKeyEd25519', value: base64(validator.publicKey) };
  const document = {
    genesis_time: '2023-09-22T17:22:35.092832Z',
    chain_id: chainId,
    initial_height: '0',
    validators: [{ address: validator.account.toUpperCase(), pub_key: publicKey, power: '10', name: 'core' }],
    app_hash: '',
    app_state: appState,
  };
  writeFileSync(join(directory, 'genesis.json'), JSON.stringify(document, undefined, indent));
}

function launch(directory: string, env: Readonly<Record<string, string>> = {}) {
  const { log, lines } = memoryLogger();
  const stopping = new AbortController();
  const closers: (() => Promise<void> | void)[] = [];
  const config = loadConfig(fields, {
    SVC_SEQUENCER_DB_FILEPATH: join(directory, 'db'),
    SVC_SEQUENCER_GENESIS_FILEPATH: join(directory, 'genesis.json'),
    SVC_SEQUENCER_PRIV_VALIDATOR_KEY_FILE: join(directory, 'key.json'),
    SVC_SEQUENCER_GRPC_ADDR: '127.0.0.1:0',
    SVC_SEQUENCER_RPC_ADDR: '127.0.0.1:0',
    SVC_SEQUENCER_BLOCK_INTERVAL_MS: '10',
    SVC_SEQUENCER_NO_METRICS: 'true',
    ...env,
  });
  const ended = runNode(config, {
    log,
    signal: stopping.signal,
    metrics: createMetrics('test_'),
    defer: (close) => void closers.push(close),
    background: () => undefined,
    fail: (error) => stopping.abort(error),
  });
  ended.catch(() => undefined);
  const stop = async (): Promise<void> => {
    stopping.abort(new Error('the test ends'));
    await ended.catch(() => undefined);
    for (let close = closers.pop(); close !== undefined; close = closers.pop()) await close();
  };
  cleanups.push(stop);
  const ready = async () => {
    const line = await eventually(() => lines.find(({ msg }) => msg === 'sequencer is ready'));
    const transport = grpcTransport(String(line.grpc));
    cleanups.push(() => transport.close());
    return { abci: String(line.abci), rpc: String(line.rpc), height: Number(line.height), transport };
  };
  return { ended, stop, ready };
}

async function broadcast(
  rpc: string,
  bytes: Uint8Array,
): Promise<{ readonly code: number; readonly hash: string; readonly log: string }> {
  const body = { jsonrpc: '2.0', id: 1, method: 'broadcast_tx_sync', params: { tx: base64(bytes) } };
  const response = await fetch(rpc, { method: 'POST', body: JSON.stringify(body) });
  // The assertions check the shape of the answer.
  const { result } = (await response.json()) as { result: { code: number; hash: string; log: string } };
  return result;
}

// Defect: Solo sequencer ended by a valid transaction that adds a validator
test('the solo engine outlives a valid transaction that adds a validator: it is refused, with the reason', async () => {
  const node = launch(directoryWith());
  const { rpc } = await node.ready();
  const update = { kind: 'validatorUpdate', publicKey: bob.publicKey, power: 5n, name: 'bob' } as const;
  const add = signTransaction({ nonce: 0, chainId: CHAIN_ID, actions: [update] }, sudo);
  expect(await broadcast(rpc, add)).toMatchObject({
    code: 19,
    log: `unsupported action: action astria.protocol.transaction.v1.ValidatorUpdate, validator ${toHex(bob.publicKey)}, problem the solo engine runs this node's validator only; run the chain under CometBFT to add validators`,
  });
  const own = { ...update, publicKey: validator.publicKey, power: 7n };
  expect(await broadcast(rpc, signTransaction({ nonce: 0, chainId: CHAIN_ID, actions: [own] }, sudo))).toMatchObject({
    code: 0,
  });
  const powers = async () => {
    const response = await fetch(`${rpc}/validators`);
    // The assertion checks the shape.
    const { result } = (await response.json()) as { result: { validators: { voting_power: string }[] } };
    return result.validators.map(({ voting_power }) => voting_power);
  };
  await eventually(async () => (await powers())[0] === '7');
  expect(await powers()).toEqual(['7']);
});

test('takes a transaction, pushes its block with proofs and signatures, and resumes after a restart', async () => {
  const directory = directoryWith();
  const first = launch(directory);
  const { rpc, transport } = await first.ready();
  const node = createClient(ownSequencer.NodeService, transport);

  const bytes = signTransaction({ nonce: 0, chainId: CHAIN_ID, actions: [data('hello')] }, alice);
  const { code, hash } = await broadcast(rpc, bytes);
  expect(code).toBe(0);

  const validators = [{ publicKey: validator.publicKey, power: 10n, address: Buffer.from(validator.account, 'hex') }];
  let found: bigint | undefined;
  let expected = 1n;
  for await (const { blocks } of node.streamFilteredBlocks({
    fromHeight: 1n,
    rollupId: { inner: rollupIdBytes(CHAT) },
  })) {
    for (const { block, signedHeader } of blocks) {
      const filtered = decodeFilteredBlock(block);
      verifyFilteredBlock(filtered, [CHAT]);
      const signed = decodeSignedHeader(signedHeader);
      verifyCommit(CHAIN_ID, validators, signed);
      expect(filtered.header.height).toBe(expected++);
      expect([toHex(filtered.hash), toHex(filtered.header.dataHash)]).toEqual([
        toHex(signed.commit.blockId.hash),
        toHex(signed.header.dataHash),
      ]);
      if (filtered.rollups.length > 0) found = filtered.header.height;
    }
    if (found !== undefined) break;
  }
  const address = { bech32m: formatAddress(alice.account) };
  const wanted = await node.getNonceSpender({ address, nonces: [0] });
  expect(wanted).toMatchObject({ accountNonce: 1, spenders: [{ nonce: 0, height: found }] });
  expect(toHex(wanted.spenders[0]?.transactionHash ?? new Uint8Array())).toBe(hash.toLowerCase());

  await first.stop();
  const again = await launch(directory).ready();
  expect(again.height).toBeGreaterThanOrEqual(Number(found));
  const sequencer = createClient(sequencerService.SequencerService, again.transport);
  expect(await sequencer.getPendingNonce({ address })).toMatchObject({ inner: 1 });
  // Blocks from before the restart are served at once, not only when the next one is made.
  const old = createClient(ownSequencer.NodeService, again.transport);
  for await (const { blocks } of old.streamFilteredBlocks({
    fromHeight: found ?? 1n,
    rollupId: { inner: rollupIdBytes(CHAT) },
  })) {
    expect(decodeFilteredBlock(blocks[0]?.block ?? new Uint8Array()).rollups).toHaveLength(1);
    break;
  }
}, 20_000);

test.each<[string, (directory: string) => void, string]>([
  [
    'another chain',
    (directory) => writeGenesis(directory, appStateJson(), 'test-2'),
    'expected a database of chain test-2, got one of chain test-1',
  ],
  [
    'another first state',
    (directory) => writeGenesis(directory, appStateJson({ ibc_relayer_addresses: [] })),
    'got one made from another genesis of chain test-1',
  ],
])('refuses a database of %s, in one line', async (_, change, words) => {
  const directory = directoryWith();
  const first = launch(directory);
  const { transport } = await first.ready();
  const sequencer = createClient(sequencerService.SequencerService, transport);
  await eventually(() => sequencer.getSequencerBlock({ height: 1n }));
  await first.stop();
  change(directory);
  const error: unknown = await launch(directory).ended.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(InvalidConfig);
  expect(String(error)).toContain(words);
  expect(String(error)).not.toContain('\n');
});

test('accepts the same genesis in another layout', async () => {
  const directory = directoryWith();
  const first = launch(directory);
  const sequencer = createClient(sequencerService.SequencerService, (await first.ready()).transport);
  await eventually(() => sequencer.getSequencerBlock({ height: 1n }));
  await first.stop();
  writeGenesis(directory, appStateJson(), CHAIN_ID, 4);
  expect((await launch(directory).ready()).height).toBeGreaterThan(0);
});

test('names every mistake of the app state with its place in the file', async () => {
  const { fees: _, ...rest } = appStateJson({ allowed_fee_assets: ['a b'] });
  const error: unknown = await launch(directoryWith({ ...rest, surprise: 1 })).ended.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(InvalidConfig);
  const lines = String(error).split('\n');
  expect(lines).toHaveLength(3);
  for (const [index, words] of [
    'app_state.allowed_fee_assets[0]',
    'app_state.surprise',
    'app_state.fees: expected an object',
  ].entries()) {
    expect(
      lines.some((line) => line.includes('genesis.json') && line.includes(words)),
      `${index}: ${words}`,
    ).toBe(true);
  }
});

test('with CometBFT the genesis comes from there: a wrong one ends the node, every mistake named', async () => {
  const node = launch(directoryWith(), { SVC_SEQUENCER_ENGINE: 'cometbft', SVC_SEQUENCER_LISTEN_ADDR: '127.0.0.1:0' });
  const { abci } = await node.ready();
  const comet = await connectAbci(abci);
  const appState = appStateJson({ allowed_fee_assets: ['a b'], surprise: 1 });
  const [answer] = await comet.ask({
    case: 'initChain',
    value: { chainId: CHAIN_ID, appStateBytes: Buffer.from(JSON.stringify(appState)) },
  });
  const words = [/app_state\.allowed_fee_assets\[0\]/, /app_state\.surprise/];
  for (const word of words) {
    expect(answer?.case === 'exception' && answer.value.error).toMatch(word);
    await expect(node.ended).rejects.toThrow(word);
  }
});
