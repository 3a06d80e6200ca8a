import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { sequencerClient } from '@switchyard/client';
import { rollupIdFromBytes, toHex } from '@switchyard/protocol';
import { execution2 } from '@switchyard/protocol/gen';
import { grpcTransport, jsonRpcClient } from '@switchyard/service';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createNetwork, type Network, until } from '../support/network.ts';
import { ALICE, ask, balanceOf, getAddress } from '../support/submitting.ts';

/** A program on the same machine takes the Execution API, and credits itself with a deposit that does not exist. */
let network: Network;

beforeAll(async () => {
  network = await createNetwork({ init: ['--template', 'messenger,evm'], isBare: true });
  await network.switchyard('dev', 'setconfig', 'blockinterval', '200', '--instance', network.instance);
  await network.start();
}, 120_000);

afterAll(() => network?.dispose());

const THIEF = '0x00000000000000000000000000000000c0ffee00';
const STOLEN = 1_000_000_000n;

const dev = async (...args: string[]) => {
  const ran = await network.switchyard('dev', ...args, '--instance', network.instance);
  if (ran.status !== 0) throw new Error(`dev ${args.join(' ')}: ${ran.stderr}`);
  return ran.stdout;
};
const config = (file: string) => join(network.home, network.instance, 'config', file);
const json = (file: string) => JSON.parse(readFileSync(config(file), 'utf8'));
const rpc = () => jsonRpcClient(network.url('evm'));

interface Rollup {
  readonly service: string;
  readonly conductor: string;
  readonly api: 'execution' | 'evmExecution';
  readonly data: string;
  readonly authSetting: string;
  soft(): Promise<bigint>;
  bridge(): { readonly bech32m: string; readonly asset: string };
  readonly destination: string;
  balance(): Promise<bigint>;
}

const ROLLUPS: readonly Rollup[] = [
  {
    service: 'rollup',
    conductor: 'conductor',
    api: 'execution',
    data: 'rollup',
    authSetting: 'execution_auth',
    soft: async () => BigInt((await ask(`${network.url('rollup')}/v1/status`)).body.soft.number),
    bridge: () => ({ bech32m: json('rollup_genesis.json').bridge_accounts[0].bech32m, asset: 'nria' }),
    destination: getAddress(ALICE),
    balance: () => balanceOf(network.url('rollup'), ALICE),
  },
  {
    service: 'evm',
    conductor: 'evm-conductor',
    api: 'evmExecution',
    data: 'evm',
    authSetting: 'svc_evm_execution_auth',
    soft: async () => BigInt(String(await rpc().call('eth_blockNumber', []))),
    bridge() {
      const { bridgeAddress, assetDenom } = json('evm_genesis.json').config.switchyard.bridgeAddresses[0];
      return { bech32m: bridgeAddress, asset: assetDenom };
    },
    destination: THIEF,
    balance: async () => BigInt(String(await rpc().call('eth_getBalance', [THIEF, 'latest']))),
  },
];

/** A client as any program on the machine can have one: no file of the instance is read for it. */
function foreign(url: string) {
  const transport = grpcTransport(url);
  const client = createClient(execution2.ExecutionService, transport);
  return { client, [Symbol.dispose]: () => transport.close() };
}

const getCode = (call: Promise<unknown>) =>
  call.then(
    () => 'ok',
    (error: unknown) => Code[ConnectError.from(error).code],
  );

/** Executes and commits a block on the soft one, with the hash and time of the real sequencer block of its height. */
async function forge({ api, bridge, destination }: Rollup): Promise<bigint> {
  using program = foreign(network.url(api));
  const { client } = program;
  const session = await client.createExecutionSession({});
  const parameters = session.executionSessionParameters;
  const soft = session.commitmentState?.softExecutedBlockMetadata;
  if (parameters?.rollupId === undefined || soft === undefined) throw new Error('the session lacks a part');
  const rollup = rollupIdFromBytes(parameters.rollupId.inner);
  const height = parameters.sequencerStartBlockHeight + soft.number + 1n - parameters.rollupStartBlockNumber;
  const sequencer = sequencerClient({ rpcUrl: network.url('rpc'), grpcUrl: network.url('grpc') });
  const block = await until(`sequencer block ${height}`, () => sequencer.filteredBlock(height, rollup));
  sequencer.close();
  const deposit = {
    bridgeAddress: { bech32m: bridge().bech32m },
    rollupId: parameters.rollupId,
    amount: { lo: STOLEN, hi: 0n },
    asset: bridge().asset,
    destinationChainAddress: destination,
    sourceTransactionId: { inner: 'ab'.repeat(32) },
    sourceActionIndex: 0n,
  };
  const { executedBlockMetadata } = await client.executeBlock({
    sessionId: session.sessionId,
    parentHash: soft.hash,
    transactions: [{ value: { case: 'deposit', value: deposit } }],
    timestamp: block.header.time,
    sequencerBlockHash: toHex(block.hash),
  });
  if (executedBlockMetadata === undefined) throw new Error('no block was executed');
  const commitmentState = {
    lowestCelestiaSearchHeight: session.commitmentState?.lowestCelestiaSearchHeight ?? 0n,
    softExecutedBlockMetadata: executedBlockMetadata,
    firmExecutedBlockMetadata: executedBlockMetadata,
  };
  await client.updateCommitmentState({ sessionId: session.sessionId, commitmentState });
  return executedBlockMetadata.number;
}

describe.each(ROLLUPS)('$service', (rollup) => {
  let honest = 0n;
  let forged = 0n;

  test('while its conductor works, another program gets no session', async () => {
    await until('blocks', async () => ((await rollup.soft()) > 3n ? true : undefined));
    using program = foreign(network.url(rollup.api));
    expect(await getCode(program.client.createExecutionSession({}))).toBe('Aborted');
    expect(await dev('logs', rollup.service, '--tail', '200')).toContain('second conductor refused; stop one of them');
  });

  test('a block that it executes meanwhile stops the conductor, with nothing on top', async () => {
    honest = await rollup.balance();
    await dev('stop', rollup.conductor);
    forged = await forge(rollup);
    expect(await rollup.balance()).toBeGreaterThan(honest);
    // It ends instead of becoming ready.
    const started = await network.switchyard('dev', 'start', rollup.conductor, '--instance', network.instance);
    const line = `block ${forged} of the rollup was not made from the sequencer's data: expected input digest`;
    const logged = await until('the conductor logs why', async () => {
      const log = await dev('logs', rollup.conductor, '--tail', '400');
      return log.includes(line) ? log : undefined;
    });
    expect(logged).toMatch(/remove the rollup's database and start it again/);
    expect(started.stdout + started.stderr).not.toMatch(/^ready/m);
    expect(await rollup.soft()).toBe(forged);
    await dev('stop', rollup.conductor);
  });

  test('where a secret is required the attempt is refused, and the rollup is rebuilt from the sequencer', async () => {
    await dev('stop', rollup.service);
    rmSync(join(network.home, network.instance, 'data', rollup.data), { recursive: true });
    writeFileSync(
      config('base-config.toml'),
      `${readFileSync(config('base-config.toml'), 'utf8')}\n${rollup.authSetting} = "secret"\n`,
    );
    await dev('start', rollup.service);
    using program = foreign(network.url(rollup.api));
    const answer = await until('the rollup answers', async () => {
      const code = await getCode(program.client.createExecutionSession({}));
      return code === 'Unavailable' ? undefined : code;
    });
    expect(answer).toBe('Unauthenticated');
    await dev('start', rollup.conductor);
    await until('it is past the block that was made up', async () =>
      (await rollup.soft()) > forged ? true : undefined,
    );
    expect(await rollup.balance()).toBe(honest);
    expect(await getCode(program.client.createExecutionSession({}))).toBe('Unauthenticated');
  });
});
