import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@switchyard/service/testing';
import {
  type Address,
  createPublicClient,
  createTestClient,
  createWalletClient,
  getAddress,
  getContractAddress,
  type Hex,
  http,
  parseAbi,
  parseEther,
  parseEventLogs,
  toHex,
  walletActions,
} from 'viem';
import {
  entryPoint07Abi,
  entryPoint07Address,
  entryPoint08Abi,
  entryPoint08Address,
  toPackedUserOperation,
} from 'viem/account-abstraction';
import { privateKeyToAccount } from 'viem/accounts';
import { anvil } from 'viem/chains';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { castJson, castText, compile, compileToken, devAddress, devKey } from '../support/evm.ts';
import { root, run, until } from '../support/network.ts';
import { tool } from '../support/tools.ts';

/* `switchyard evm dev` as a process, with the methods that test suites of contracts use of anvil or Hardhat. */

const processes: ChildProcess[] = [];
afterAll(() => void processes.map((child) => child.kill('SIGTERM')));

const main = join(root, 'packages', 'cli', 'bin', 'switchyard.mjs');

async function start(...options: string[]) {
  const port = await freePort();
  const args = [main, 'evm', 'dev', '--port', String(port), ...options];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  processes.push(child);
  let printed = '';
  child.stdout.on('data', (chunk: Uint8Array) => (printed += String(chunk)));
  /** Lines of the log about the chain. */
  const lines = () =>
    printed.split('\n').flatMap((line) => (/"console\.log"|transaction|"call/.test(line) ? [JSON.parse(line)] : []));
  const url = `http://127.0.0.1:${port}`;
  await until('the node', async () => (await fetch(`${url}/healthz`).catch(() => undefined))?.ok || undefined);
  const stop = async () => {
    const ended = once(child, 'close');
    child.kill('SIGTERM');
    await ended;
  };
  return { url, lines, stop };
}

function makeClients(url: string, mode: 'anvil' | 'hardhat' = 'anvil') {
  const transport = http(url, { retryCount: 0 });
  const chain = anvil;
  const reader = createPublicClient({ chain, transport, pollingInterval: 20, cacheTime: 0 });
  const tester = createTestClient({ chain, transport, mode }).extend(walletActions);
  return { reader, tester, chain, transport };
}

const STRANGER: Address = '0x00000000000000000000000000000000000057a7';

describe.each(['anvil', 'hardhat'] as const)('the test client of viem, as %s', (mode) => {
  let url: string;
  beforeAll(async () => {
    ({ url } = await start());
  });

  test('what is sent is in a block when it is acknowledged', async () => {
    const { reader, tester } = makeClients(url, mode);
    const before = await reader.getBlockNumber();
    const hash = await tester.sendTransaction({ account: devAddress(0), to: STRANGER, value: 3n });
    expect(await reader.getTransactionReceipt({ hash })).toMatchObject({ blockNumber: before + 1n, status: 'success' });
    expect(await reader.getBalance({ address: STRANGER })).toBe(3n);
  });

  test('accounts are changed, seen at once, and kept by the blocks after', async () => {
    const { reader, tester } = makeClients(url, mode);
    const address: Address = '0x0000000000000000000000000000000000c0de00';
    const slot = toHex(5, { size: 32 });
    const word = toHex(77, { size: 32 });
    const before = await reader.getBlockNumber();
    await tester.setBalance({ address, value: parseEther('5') });
    await tester.setNonce({ address, nonce: 9 });
    // Returns slot 5.
    await tester.setCode({ address, bytecode: '0x6005545f5260205ff3' });
    await tester.setStorageAt({ address, index: 5, value: word });
    const look = async () => ({
      balance: await reader.getBalance({ address }),
      nonce: await reader.getTransactionCount({ address }),
      slot: await reader.getStorageAt({ address, slot }),
      call: (await reader.call({ to: address })).data,
    });
    const expected = { balance: parseEther('5'), nonce: 9, slot: word, call: word };
    expect(await look()).toEqual(expected);
    expect(await reader.getBlockNumber()).toBe(before);
    await tester.mine({ blocks: 2 });
    expect(await look()).toEqual(expected);
    expect(await reader.getBlockNumber()).toBe(before + 2n);
  });

  test('a snapshot brings back everything, and serves once', async () => {
    const { reader, tester } = makeClients(url, mode);
    const token = await compileToken();
    const id = await tester.snapshot();
    const before = {
      block: await reader.getBlock(),
      balance: await reader.getBalance({ address: devAddress(1) }),
    };
    const hash = await tester.deployContract({ account: devAddress(1), ...token, args: ['Coin', 'CN', 10n] });
    const { contractAddress } = await reader.getTransactionReceipt({ hash });
    await tester.setBalance({ address: devAddress(1), value: 1n });
    await tester.increaseTime({ seconds: 100_000 });
    await tester.mine({ blocks: 3 });
    await tester.revert({ id });
    expect(await reader.getBlock()).toEqual(before.block);
    expect(await reader.getBalance({ address: devAddress(1) })).toBe(before.balance);
    expect(await reader.getCode({ address: contractAddress ?? '0x' })).toBeUndefined();
    await expect(reader.getTransactionReceipt({ hash })).rejects.toThrow('could not be found');
    expect(await reader.request({ method: 'evm_revert', params: [id] } as never)).toBe(false);
    // The chain goes another way from here.
    await tester.sendTransaction({ account: devAddress(1), to: STRANGER, value: 1n });
    expect(await reader.getBlockNumber()).toBe(before.block.number + 1n);
  });

  test('time is what is set', async () => {
    const { reader, tester } = makeClients(url, mode);
    const { timestamp } = await reader.getBlock();
    await tester.setNextBlockTimestamp({ timestamp: timestamp + 1_000n });
    await tester.mine({ blocks: 1 });
    expect((await reader.getBlock()).timestamp).toBe(timestamp + 1_000n);
    await tester.increaseTime({ seconds: 500 });
    await tester.mine({ blocks: 1 });
    expect((await reader.getBlock()).timestamp).toBeGreaterThanOrEqual(timestamp + 1_500n);
    const late = (await reader.getBlock()).timestamp;
    await tester.mine({ blocks: 3, interval: 60 });
    expect((await reader.getBlock()).timestamp).toBeGreaterThanOrEqual(late + 120n);
    await expect(tester.setNextBlockTimestamp({ timestamp })).rejects.toThrow('is not after that of the latest block');
  });

  test('an account without a key is impersonated, also a contract, and no longer', async () => {
    const { reader, tester } = makeClients(url, mode);
    const address: Address = '0x000000000000000000000000000000000000beef';
    await tester.setBalance({ address, value: parseEther('1') });
    await tester.setCode({ address, bytecode: '0x00' });
    await tester.impersonateAccount({ address });
    const hash = await tester.sendTransaction({ account: address, to: STRANGER, value: 2n });
    expect(await reader.getTransaction({ hash })).toMatchObject({ from: address });
    expect(await reader.getTransactionReceipt({ hash })).toMatchObject({ from: address, status: 'success' });
    await tester.stopImpersonatingAccount({ address });
    const again = tester.sendTransaction({ account: address, to: STRANGER, value: 2n, gas: 21_000n });
    await expect(again).rejects.toThrow('unknown account');
  });

  test('without a block for each transaction they wait, and can be dropped', async () => {
    const { reader, tester } = makeClients(url, mode);
    await tester.setAutomine(false);
    const send = () => tester.sendTransaction({ account: devAddress(2), to: STRANGER, value: 1n });
    const [first, second] = [await send(), await send()];
    await expect(reader.getTransactionReceipt({ hash: first })).rejects.toThrow('could not be found');
    expect(await tester.getTxpoolStatus()).toMatchObject({ pending: 2 });
    await tester.dropTransaction({ hash: second });
    await tester.mine({ blocks: 1 });
    expect((await reader.getBlock()).transactions).toEqual([first]);
    await tester.setAutomine(true);
    expect(await tester.getTxpoolStatus()).toMatchObject({ pending: 0, queued: 0 });
  });

  test('the fee, the recipient of tips and the gas of the next block are what is set', async () => {
    const { reader, tester } = makeClients(url, mode);
    await tester.setNextBlockBaseFeePerGas({ baseFeePerGas: 7n });
    await tester.setCoinbase({ address: STRANGER });
    await tester.setBlockGasLimit({ gasLimit: 12_345_678n });
    await tester.mine({ blocks: 1 });
    expect(await reader.getBlock()).toMatchObject({ baseFeePerGas: 7n, miner: STRANGER, gasLimit: 12_345_678n });
    await tester.setBlockGasLimit({ gasLimit: 100_000_000n });
  });

  test('the chain begins anew', async () => {
    const { reader, tester } = makeClients(url, mode);
    await tester.reset();
    expect(await reader.getBlockNumber()).toBe(0n);
    expect(await reader.getTransactionCount({ address: devAddress(0) })).toBe(0);
  });
});

/** A node, and its answers to methods that no library has. */
async function askOnce(...options: string[]) {
  const { url, stop } = await start(...options);
  const ask = (method: string, ...params: unknown[]) =>
    makeClients(url).reader.request({ method, params } as never) as Promise<unknown>;
  return { url, ask, stop, reader: makeClients(url).reader };
}

test('randomness, time and the pool are what is set', async () => {
  const { ask, reader } = await askOnce();
  const word = toHex(0xabcdefn, { size: 32 });
  // Returns PREVRANDAO.
  const contract = '0x0000000000000000000000000000000000c0de01';
  await ask('anvil_setCode', contract, '0x445f5260205ff3');
  await ask('hardhat_setPrevRandao', word);
  await ask('evm_mine');
  expect((await reader.getBlock()).mixHash).toBe(word);
  expect((await reader.call({ to: contract })).data).toBe(word);
  await ask('anvil_mine');
  expect(BigInt((await reader.getBlock()).mixHash)).toBe(0n);

  const later = Number((await reader.getBlock()).timestamp) + 10_000;
  expect(await ask('evm_setTime', later * 1_000)).toBeGreaterThan(9_900);
  await ask('evm_mine');
  expect((await reader.getBlock()).timestamp).toBeGreaterThanOrEqual(BigInt(later));

  await ask('evm_setAutomine', false);
  for (const index of [0, 1]) await ask('eth_sendTransaction', { from: devAddress(index), to: STRANGER, value: '0x1' });
  await ask('anvil_removePoolTransactions', devAddress(0));
  expect(await ask('txpool_status')).toMatchObject({ pending: '0x1' });
  await ask('anvil_dropAllTransactions');
  expect(await ask('txpool_status')).toMatchObject({ pending: '0x0' });
  await ask('anvil_addBalance', STRANGER, '0x5');
  expect(await reader.getBalance({ address: STRANGER })).toBe(5n);
});

test('a state goes to another node, and to anvil and back', async () => {
  const [first, second] = [await askOnce(), await askOnce()];
  const contract = '0x0000000000000000000000000000000000c0de02';
  const slot = toHex(5, { size: 32 });
  await first.ask('anvil_setCode', contract, '0x6005545f5260205ff3');
  await first.ask('anvil_setStorageAt', contract, slot, toHex(77, { size: 32 }));
  await first.ask('eth_sendTransaction', { from: devAddress(0), to: STRANGER, value: '0x9' });
  await first.ask('anvil_setBalance', devAddress(3), '0x3');
  const look = async ({ reader }: Pick<typeof first, 'reader'>) => ({
    call: (await reader.call({ to: contract })).data,
    balances: [await reader.getBalance({ address: STRANGER }), await reader.getBalance({ address: devAddress(3) })],
    nonce: await reader.getTransactionCount({ address: devAddress(0) }),
  });
  const expected = { call: toHex(77, { size: 32 }), balances: [9n, 3n], nonce: 1 };
  const dumped = await first.ask('anvil_dumpState');
  expect(await second.ask('anvil_loadState', dumped)).toBe(true);
  expect(await look(second)).toEqual(expected);
  await second.ask('evm_mine');
  expect(await look(second)).toEqual(expected);

  const real = await realAnvil();
  expect(await real.ask('anvil_loadState', dumped)).toBe(true);
  expect(await look(real)).toEqual(expected);
  const third = await askOnce();
  expect(await third.ask('anvil_loadState', await real.ask('anvil_dumpState'))).toBe(true);
  expect(await look(third)).toEqual(expected);
  await expect(third.ask('anvil_loadState', '0x1234')).rejects.toThrow(
    'expected a state as anvil_dumpState answers it',
  );
});

test('a state file goes to anvil and back', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'switchyard-state-'));
  const file = join(directory, 'state.json');
  const first = await askOnce('--state', file);
  await first.ask('eth_sendTransaction', { from: devAddress(0), to: STRANGER, value: '0x9' });
  await first.stop();
  const real = await realAnvil('--state', file);
  expect(await real.reader.getBalance({ address: STRANGER })).toBe(9n);
  const sent = await real.ask('eth_sendTransaction', { from: devAddress(0), to: STRANGER, value: '0x1' });
  // anvil answers before it has made the block.
  await real.reader.waitForTransactionReceipt({ hash: sent as Hex });
  await real.stop();
  const second = await askOnce('--state', file);
  expect(await second.reader.getBalance({ address: STRANGER })).toBe(10n);
  expect(await second.reader.getTransactionCount({ address: devAddress(0) })).toBe(2);
  await second.stop();
  await rm(directory, { recursive: true });
});

test.each([
  ['words without a checksum', ['--mnemonic', 'test test test'], 'evm-standalone: --mnemonic: expected 12, 15'],
  ['a file that is no state', ['--state', main], 'evm-standalone: --state: expected a state as anvil writes it'],
])('%s are refused in one line', async (_, options, expected) => {
  const { status, stdout, stderr } = await run(process.execPath, [main, 'evm', 'dev', '--port', '0', ...options]);
  expect({ status, lines: stderr.trimEnd().split('\n') }).toEqual({
    status: 78,
    lines: [expect.stringContaining(expected)],
  });
  expect(stdout).not.toContain('"error"');
});

test('calls, transactions, reasons and lines that a contract of solc prints are logged', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'switchyard-console-'));
  const source = join(directory, 'Box.sol');
  await writeFile(source, BOX);
  const { url, lines } = await start();
  const { tester, reader } = makeClients(url);
  const { abi, bytecode } = await compile(source, 'Box');
  const created = await tester.deployContract({ account: devAddress(0), abi, bytecode });
  const { contractAddress } = await reader.getTransactionReceipt({ hash: created });
  const address = contractAddress ?? '0x';
  const hash = await tester.writeContract({
    chain: anvil,
    account: devAddress(0),
    abi,
    address,
    functionName: 'set',
    args: [5n],
  });
  await expect(reader.simulateContract({ abi, address, functionName: 'set', args: [0n] })).rejects.toThrow('TooSmall');
  const contract = address.toLowerCase();
  const expected = [
    { msg: 'transaction executed', hash: created, contract },
    { msg: 'console.log', line: 'set to 5' },
    { msg: 'console.log', line: `${devAddress(0)} true -3` },
    { msg: 'transaction executed', hash, to: contract },
    { msg: 'console.log', line: 'set to 0' },
    { msg: 'call failed', method: 'eth_call', reason: expect.stringMatching(/^custom error 0x[0-9a-f]{8}$/) },
  ];
  await until('the lines', async () => lines().length >= expected.length || undefined);
  expect(lines()).toMatchObject(expected);
  await rm(directory, { recursive: true });
});

/** Calls the console as Hardhat's library does. */
const BOX = `pragma solidity ^0.8.0;
contract Box {
  error TooSmall(uint256 value);
  uint256 value;
  function print(bytes memory data) private view {
    (bool ok,) = address(0x000000000000000000636F6e736F6c652e6c6f67).staticcall(data);
    ok;
  }
  function set(uint256 next) external {
    print(abi.encodeWithSignature("log(string,uint256)", "set to", next));
    if (next == 0) revert TooSmall(next);
    print(abi.encodeWithSignature("log(address,bool,string)", msg.sender, true, "-3"));
    value = next;
  }
}`;

/** Foundry's own. */
async function realAnvil(...options: string[]) {
  const port = await freePort();
  const args = ['--port', String(port), '--silent', ...options];
  const child = spawn(tool('anvil'), args, { stdio: ['ignore', 'ignore', 'inherit'] });
  processes.push(child);
  const { reader } = makeClients(`http://127.0.0.1:${port}`);
  await until('anvil', () => reader.getChainId().catch(() => undefined));
  const ask = (method: string, ...params: unknown[]) => reader.request({ method, params } as never) as Promise<unknown>;
  const stop = async () => {
    const ended = once(child, 'close');
    child.kill('SIGINT');
    await ended;
  };
  return { ask, reader, stop };
}

test('an account delegates its code by `cast send --auth`, itself and through another that pays', async () => {
  const { url, reader } = await askOnce();
  const node = { url: () => url };
  const send = async (sender: number, to: Address, authorization: string) => {
    const sent = await castJson(node, 'send', to, '--auth', authorization, '--private-key', devKey(sender));
    expect(sent).toMatchObject({ type: '0x4', status: '0x1' });
  };
  const delegate = '0x0000000000000000000000000000000000c0de03';
  const delegated = `0xef0100${delegate.slice(2)}`;
  await send(1, devAddress(1), delegate);
  expect(await reader.getCode({ address: devAddress(1) })).toBe(delegated);
  await send(3, devAddress(2), await castText(node, 'wallet', 'sign-auth', delegate, '--private-key', devKey(2)));
  expect(await reader.getCode({ address: devAddress(2) })).toBe(delegated);
  await send(1, devAddress(1), '0x0000000000000000000000000000000000000000');
  expect(await reader.getCode({ address: devAddress(1) })).toBeUndefined();
});

test('errors of a node have the words that libraries know, and a revert has its block', async () => {
  const { url } = await start();
  const { reader, chain, transport } = makeClients(url);
  const wallet = createWalletClient({ chain, transport, account: privateKeyToAccount(devKey(0)) });
  const poor = wallet.sendTransaction({ to: STRANGER, value: 10n ** 30n, gas: 21_000n });
  await expect(poor).rejects.toThrow(/exceeds the balance|insufficient funds/);
  await wallet.sendTransaction({ to: STRANGER, value: 1n });
  await expect(wallet.sendTransaction({ to: STRANGER, nonce: 0, gas: 21_000n })).rejects.toThrow(/nonce/i);
  const cheap = wallet.sendTransaction({ to: STRANGER, maxFeePerGas: 1n, maxPriorityFeePerGas: 0n, gas: 21_000n });
  await expect(cheap).rejects.toThrow(/base fee/i);
  const reverting = await wallet.sendTransaction({ data: '0x5f5ffd', gas: 100_000n });
  expect(await reader.getTransactionReceipt({ hash: reverting })).toMatchObject({ status: 'reverted' });
  const ahead = await wallet.sendTransaction({ to: STRANGER, nonce: 3, gas: 21_000n });
  await expect(reader.getTransactionReceipt({ hash: ahead })).rejects.toThrow('could not be found');
  const filling = await wallet.sendTransaction({ to: STRANGER, nonce: 2, gas: 21_000n });
  expect((await reader.getBlock()).transactions).toEqual([filling, ahead]);
});

test('traces of blocks see what was changed between them', async () => {
  const { url } = await start();
  const { reader, tester } = makeClients(url);
  const address: Address = '0x0000000000000000000000000000000000c0de01';
  await tester.setCode({ address, bytecode: '0x6001545f5260205ff3' });
  await tester.setStorageAt({ address, index: 1, value: toHex(42, { size: 32 }) });
  const hash = await tester.sendTransaction({ account: devAddress(0), to: address, gas: 100_000n });
  await tester.mine({ blocks: 2 });
  const trace = await reader.request({
    method: 'debug_traceTransaction',
    params: [hash, { tracer: 'callTracer' }],
  } as never);
  expect(trace).toMatchObject({ to: address, output: toHex(42, { size: 32 }) });
});

test('blocks come at even intervals where that is asked', async () => {
  const { url } = await start('--block-time', '1', '--chain-id', '4242', '--accounts', '2');
  const { reader, tester } = makeClients(url);
  expect(await reader.getChainId()).toBe(4242);
  expect(await reader.request({ method: 'eth_accounts' } as never)).toHaveLength(2);
  await until('two blocks', async () => (await reader.getBlockNumber()) >= 2n || undefined);
  await tester.setIntervalMining({ interval: 0 });
  const hash: Hex = await reader.request({
    method: 'eth_sendTransaction',
    params: [{ from: devAddress(0), to: STRANGER, value: '0x1' }],
  } as never);
  expect(await reader.getTransactionReceipt({ hash })).toMatchObject({ status: 'success' });
});

test('a chain that is kept continues, with what was changed', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'evm-dev-'));
  const first = await start('--state-dir', directory);
  const { tester } = makeClients(first.url);
  await tester.sendTransaction({ account: devAddress(0), to: STRANGER, value: 8n });
  await tester.setBalance({ address: devAddress(4), value: 12n });
  await first.stop();
  const { reader } = makeClients((await start('--state-dir', directory)).url);
  expect(await reader.getBalance({ address: STRANGER })).toBe(8n);
  expect(await reader.getBalance({ address: devAddress(4) })).toBe(12n);
  await rm(directory, { recursive: true, force: true });
});

test('tools see what kind of node it is', async () => {
  const { url } = await start();
  const ask = async (method: string) =>
    (await makeClients(url).reader.request({ method, params: [] } as never)) as Record<string, unknown>;
  expect(await ask('web3_clientVersion')).toMatch(/^anvil\/switchyard-/);
  expect(await ask('hardhat_metadata')).toMatchObject({ chainId: 31337, latestBlockNumber: 0 });
  expect(await ask('anvil_nodeInfo')).toMatchObject({ hardFork: 'osaka', environment: { chainId: 31337 } });
  await expect(ask('anvil_setRpcUrl')).rejects.toThrow('does not exist/is not available');
});

describe('contracts of the first block', () => {
  let url: string;
  beforeAll(async () => {
    ({ url } = await start('--chain-id', '1337'));
  });
  const client = () => {
    const contracts = { multicall3: { address: '0xcA11bde05977b3631167028862bE2a173976CA11' } } as const;
    const chain = { ...anvil, id: 1337, contracts };
    const transport = http(url, { retryCount: 0 });
    const reader = createPublicClient({ chain, transport, batch: { multicall: true }, cacheTime: 0 });
    const wallet = createWalletClient({ chain, transport, account: privateKeyToAccount(devKey(0)) });
    return { chain, reader, wallet };
  };
  const getToken = async (supply: bigint) => {
    const token = await compileToken();
    const { reader, wallet } = client();
    const hash = await wallet.deployContract({ ...token, args: ['Coin', 'CN', supply] });
    const { contractAddress } = await reader.getTransactionReceipt({ hash });
    if (!contractAddress) throw new Error('no contract was made');
    return { address: contractAddress, abi: token.abi };
  };

  test('many reads become one call of Multicall3', async () => {
    const token = await getToken(100n);
    const { reader } = client();
    const balanceOf = (owner: Address) => ({ ...token, functionName: 'balanceOf', args: [owner] }) as const;
    const results = await reader.multicall({
      contracts: [balanceOf(devAddress(0)), balanceOf(STRANGER)],
      allowFailure: false,
    });
    expect(results).toEqual([100n, 0n]);
  });

  test('a signature moves tokens through Permit2', async () => {
    const permit2: Address = '0x000000000022D473030F116dDEE9F6B43aC78BA3';
    const token = await getToken(100n);
    const { chain, reader, wallet } = client();
    await wallet.writeContract({ ...token, functionName: 'approve', args: [permit2, 2n ** 255n] });
    const spender = privateKeyToAccount(devKey(1));
    const permit = { permitted: { token: token.address, amount: 30n }, nonce: 0n, deadline: 2n ** 48n };
    const signature = await wallet.signTypedData({
      domain: { name: 'Permit2', chainId: 1337, verifyingContract: permit2 },
      types: {
        PermitTransferFrom: [
          { name: 'permitted', type: 'TokenPermissions' },
          { name: 'spender', type: 'address' },
          { name: 'nonce', type: 'uint256' },
          { name: 'deadline', type: 'uint256' },
        ],
        TokenPermissions: [
          { name: 'token', type: 'address' },
          { name: 'amount', type: 'uint256' },
        ],
      },
      primaryType: 'PermitTransferFrom',
      message: { ...permit, spender: spender.address },
    });
    const abi = parseAbi([
      'struct TokenPermissions { address token; uint256 amount; }',
      'struct PermitTransferFrom { TokenPermissions permitted; uint256 nonce; uint256 deadline; }',
      'struct SignatureTransferDetails { address to; uint256 requestedAmount; }',
      'function permitTransferFrom(PermitTransferFrom permit, SignatureTransferDetails details, address owner, bytes signature)',
    ]);
    const other = createWalletClient({ chain, transport: http(url), account: spender });
    const details = { to: STRANGER, requestedAmount: 30n };
    const args = [permit, details, wallet.account.address, signature] as const;
    const hash = await other.writeContract({ address: permit2, abi, functionName: 'permitTransferFrom', args });
    expect(await reader.getTransactionReceipt({ hash })).toMatchObject({ status: 'success' });
    expect(await reader.readContract({ ...token, functionName: 'balanceOf', args: [STRANGER] })).toBe(30n);
  });

  test.each([
    ['0.7', entryPoint07Address, entryPoint07Abi],
    ['0.8', entryPoint08Address, entryPoint08Abi],
  ] as const)('EntryPoint %s makes an account and runs its operation', async (version, address, abi) => {
    const { chain, reader, wallet } = client();
    const tester = createTestClient({ chain, transport: http(url), mode: 'anvil' });
    // Makes an account that answers every call with a word of zeros, by which it accepts every operation.
    const factory = getAddress(version === '0.7' ? `0x${'fa'.repeat(20)}` : `0x${'fb'.repeat(20)}`);
    const factoryCode = '0x6e665f5f5260205ff35f5260076019f35f52600f60115ff05f5260205ff3';
    await tester.setCode({ address: factory, bytecode: factoryCode });
    const sender = getContractAddress({ from: factory, nonce: 0n });
    const { writeContract } = wallet;
    await writeContract({ address, abi, functionName: 'depositTo', args: [sender], value: parseEther('1') });
    const operation = toPackedUserOperation({
      ...{ sender, nonce: 0n, factory, factoryData: '0x', callData: '0x12345678', signature: '0x' },
      ...{ callGasLimit: 100_000n, verificationGasLimit: 300_000n, preVerificationGas: 50_000n },
      ...{ maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n },
    });
    const args = [[operation], STRANGER] as const;
    const hash = await writeContract({ address, abi, functionName: 'handleOps', args, gas: 2_000_000n });
    const { status, logs } = await reader.getTransactionReceipt({ hash });
    expect(status).toBe('success');
    const events = parseEventLogs({ abi, logs });
    expect(events.find(({ eventName }) => eventName === 'AccountDeployed')?.args).toMatchObject({ sender, factory });
    const [event] = parseEventLogs({ abi, logs, eventName: 'UserOperationEvent' });
    expect(event?.args).toMatchObject({ sender, success: true });
    expect(await reader.getCode({ address: sender })).toBe('0x5f5f5260205ff3');
  });
});
