import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  evmClient,
  readBridgeContract,
  readWithdrawals,
  WITHDRAWER_ADDRESS,
  withdrawalCall,
} from '@switchyard/evm/client';
import { type Abi, createPublicClient, createWalletClient, type Hex, http, parseAbi } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { castJson, castText, compile, compileToken, devAddress, devKey, getChain, rpc } from '../support/evm.ts';
import { createGeth, type GethProcess, gethIsThere } from '../support/geth.ts';
import { createNetwork, type Network, root, until } from '../support/network.ts';
import { ask, read } from '../support/submitting.ts';

/** A local network whose EVM rollup is executed by a real geth: all processes are the users' own. */
const isThere = gethIsThere();
const TOKENS = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function transfer(address, uint256) returns (bool)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);

describe.skipIf(!isThere)('an EVM rollup over a stock geth', () => {
  let network: Network;
  let geth: GethProcess;

  beforeAll(async () => {
    if (!isThere) return;
    network = await createNetwork({ init: ['--template', 'evm'] });
    const config = join(network.home, network.instance, 'config');
    const genesis = readFileSync(join(config, 'evm_genesis.json'), 'utf8');
    geth = await createGeth({ genesis, gasLimit: BigInt(JSON.parse(genesis).gasLimit) });
    await geth.start();
    appendFileSync(
      join(config, 'base-config.toml'),
      `svc_evm_backend = "stock"\nsvc_evm_stock_ipc_path = "${geth.ipc}"\n`,
    );
    await network.start();
  });

  afterAll(async () => {
    await network?.dispose();
    await geth?.dispose();
  });

  const call = async (method: string, ...params: unknown[]) =>
    (await rpc(network.url('evm'), { jsonrpc: '2.0', id: 1, method, params })) as {
      readonly result?: unknown;
      readonly error?: { readonly code: number; readonly message: string };
    };
  const client = () => createPublicClient({ chain: getChain(network), transport: http(), pollingInterval: 100 });
  const wallet = (index: number) =>
    createWalletClient({ account: privateKeyToAccount(devKey(index)), chain: getChain(network), transport: http() });

  test('a value transfer is in a block with its receipt, and moves the balances', async () => {
    const to = '0x00000000000000000000000000000000deadbeef';
    const receipt = await castJson(network, 'send', to, '--value', '5', '--private-key', devKey(0));
    expect(receipt).toMatchObject({ status: '0x1', from: devAddress(0).toLowerCase(), to, gasUsed: '0x5208' });
    expect(await castText(network, 'balance', to)).toBe('5');
    expect(await castText(network, 'nonce', devAddress(0))).toBe('1');
  });

  test('coins are withdrawn through the contract of the first block', async () => {
    const node = evmClient({ url: network.url('evm') });
    const to = 'astria1d7zjjljc0dsmxa545xkpwxym86g8uvvwhtezcr';
    const args = ['--to', to, '--amount', '0.25', '--private-key', devKey(2), '--instance', network.instance, '--json'];
    const ran = await network.switchyard('evm', 'withdraw', ...args);
    expect(ran).toMatchObject({ status: 0, stderr: '' });
    const { block, eventId } = JSON.parse(ran.stdout);
    expect(await readWithdrawals({ client: node, from: 0n, to: BigInt(block) })).toMatchObject([
      { eventId, amount: 25n * 10n ** 16n, destination: to, sender: devAddress(2).toLowerCase() },
    ]);
    expect(await readBridgeContract(node)).toMatchObject({ precision: 9, asset: 'ntia' });
    const short = call('eth_call', { to: WITHDRAWER_ADDRESS, value: '0x1', data: withdrawalCall(to) }, 'latest');
    expect((await short).error?.message).toBe('execution reverted: amount is below the minimum');
  });

  test('a token is deployed, transferred, found in logs, traced and proven', async () => {
    const { abi, bytecode } = await compileToken();
    const hash = await wallet(1).deployContract({ abi, bytecode, args: ['Test', 'TST', 1_000n] });
    const { contractAddress: address } = await client().waitForTransactionReceipt({ hash });
    if (!address) throw new Error('no contract');
    const token = { address, abi: TOKENS } as const;
    const held = await client().readContract({ ...token, functionName: 'balanceOf', args: [devAddress(1)] });
    expect(held).toBeGreaterThan(0n);
    const sent = await wallet(1).writeContract({ ...token, functionName: 'transfer', args: [devAddress(2), 7n] });
    const receipt = await client().waitForTransactionReceipt({ hash: sent });
    expect(await client().readContract({ ...token, functionName: 'balanceOf', args: [devAddress(2)] })).toBe(7n);
    const logs = await client().getContractEvents({ ...token, eventName: 'Transfer', fromBlock: receipt.blockNumber });
    expect(logs.map(({ args }) => args.value)).toEqual([7n]);
    const trace = await call('debug_traceTransaction', sent, { tracer: 'callTracer' });
    expect(trace.result).toMatchObject({ type: 'CALL', to: address, from: devAddress(1).toLowerCase() });
    const proof = await client().getProof({ address, storageKeys: [] });
    expect(proof.accountProof.length).toBeGreaterThan(0);
    // The state of a block before.
    const before = { ...token, functionName: 'balanceOf', blockNumber: receipt.blockNumber - 1n } as const;
    expect(await client().readContract({ ...before, args: [devAddress(2)] })).toBe(0n);
  });

  test('the explorer shows all but the calls within transactions, which geth does not report, and traces on request', async () => {
    const api = (path: string) => read(`${network.url('explorer')}/v1/rollups/evm/evm${path}`);
    const { abi, bytecode } = await compile(join(root, 'packages', 'explorer', 'testdata', 'tokens.sol'), 'Coin');
    const created = await wallet(4).deployContract({ abi, bytecode, args: [1_000n] });
    const { contractAddress: address } = await client().waitForTransactionReceipt({ hash: created });
    if (!address) throw new Error('no contract');
    const heir = '0x00000000000000000000000000000000c0ffee00';
    const send = async (functionName: string, args: readonly unknown[], value = 0n) => {
      const request = { address, abi: abi as Abi, functionName, args: [...args], value, gas: 500_000n };
      const hash = await wallet(4).writeContract(request);
      return client().waitForTransactionReceipt({ hash });
    };
    const moved = await send('transfer', [heir, 7n]);
    const paid = await send('pay', [heir], 5n);
    const failed = await send('pay', [heir]);
    await until('the explorer has them', async () => {
      const { body } = await ask(`${network.url('explorer')}/v1/status`);
      return body.rollups.find((each: { name: string }) => each.name === 'evm')?.number >= Number(failed.blockNumber)
        ? true
        : undefined;
    });
    expect(await api(`/transactions/${moved.transactionHash}`)).toMatchObject({
      ...{ status: 1, logCount: 1, internalCalls: null, method: 'transfer', problem: null },
      tokenTransfers: [{ amount: '7', to: expect.stringMatching(new RegExp(heir, 'i')) }],
    });
    // Not in the index, and executed again on request.
    expect(await api(`/transactions/${paid.transactionHash}`)).toMatchObject({ internalCalls: null, value: '5' });
    expect((await api(`/addresses/${heir}/internal`)).items).toEqual([]);
    expect((await api(`/transactions/${paid.transactionHash}/internal`)).items).toMatchObject([
      { type: 'CALL', value: '5', depth: 1 },
    ]);
    expect((await api(`/transactions/${paid.transactionHash}/trace`)).calls).toHaveLength(2);
    expect(await api(`/transactions/${failed.transactionHash}`)).toMatchObject({
      status: 0,
      revertReason: { error: { arguments: [{ value: 'nothing to pay' }] } },
    });
    expect(await api(`/addresses/${heir}`)).toMatchObject({ balance: '5', tokenTransfers: 1, problem: null });
    expect(await api(`/addresses/${address}`)).toMatchObject({ isContract: true, creationTransaction: created });
    const { points } = await api(`/addresses/${devAddress(4)}/history`);
    expect(points.map(({ nonce }: { nonce: number }) => nonce)).toEqual([1, 2, 3, 4]);
    const token = await until('the token is described', async () => {
      const found = await api(`/tokens/${address}`);
      return found.supply === null ? undefined : found;
    });
    expect(token).toMatchObject({ kind: 'erc20', symbol: 'CO', supply: '1000', holders: 2, isExact: true });
    const block = await client().getBlock({ blockNumber: paid.blockNumber });
    expect(await api(`/blocks/${paid.blockNumber}`)).toMatchObject({
      hash: block.hash,
      gasUsed: Number(block.gasUsed),
    });
  });

  test("nothing of geth's private side can be reached", async () => {
    for (const method of ['engine_forkchoiceUpdatedV3', 'testing_buildBlockV1', 'admin_nodeInfo', 'debug_setHead'])
      expect((await call(method, '0x0')).error, method).toMatchObject({ code: -32_601 });
    expect((await call('eth_getBalance', devAddress(0), '0xffffff')).error).toMatchObject({
      message: 'header not found',
    });
  });

  test('geth is killed while people send, and everything that was acknowledged is in a block', async () => {
    const hashes: Hex[] = [];
    const sending = (async () => {
      const { sendTransaction } = wallet(3);
      for (let nonce = 0; nonce < 40; nonce += 1)
        await until(`transaction ${nonce} is taken`, async () => {
          hashes.push(
            await sendTransaction({ to: devAddress(4), value: 1n, nonce, gas: 21_000n, maxFeePerGas: 10n ** 10n }),
          );
          return true;
        });
    })();
    await until('some are sent', () => (hashes.length > 10 ? true : undefined));
    await geth.stop('SIGKILL');
    const readiness = () => ask(`${network.url('evm')}/readyz`);
    await until('the node reports it', async () => ((await readiness()).status === 503 ? true : undefined));
    await geth.start();
    await sending;
    for (const hash of hashes)
      expect((await client().waitForTransactionReceipt({ hash, timeout: 30_000 })).status).toBe('success');
    expect(await castText(network, 'nonce', devAddress(3))).toBe('40');
    expect((await readiness()).status).toBe(200);
  });

  test('the node is killed, and resumes where it was', async () => {
    const before = await client().getBlock();
    process.kill(await network.pid('evm'), 'SIGKILL');
    const receipt = await until('the node answers again', () =>
      castJson(network, 'send', devAddress(4), '--value', '1', '--private-key', devKey(2)),
    );
    expect(receipt).toMatchObject({ status: '0x1' });
    expect((await client().getBlock({ blockNumber: before.number })).hash).toBe(before.hash);
  });
});
