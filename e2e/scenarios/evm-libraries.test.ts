import {
  Contract,
  ContractFactory,
  JsonRpcProvider,
  verifyMessage as verifyEthersMessage,
  Wallet,
  WebSocketProvider,
} from 'ethers';
import {
  type Account,
  createPublicClient,
  createWalletClient,
  getContract,
  type Hash,
  type Hex,
  http,
  parseEther,
  verifyMessage,
  verifyTypedData,
  webSocket,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Compiled, compileToken, DEV_KEYS, devAddress, devKey, getChain, rpc } from '../support/evm.ts';
import { createNetwork, type Network, until } from '../support/network.ts';

/** The two libraries that most applications use, with nothing that is special to us. */
let network: Network;
let token: Compiled;

beforeAll(async () => {
  network = await createNetwork({ init: ['--template', 'evm'], isBare: true, hasProcesses: false });
  [token] = await Promise.all([compileToken(), network.start()]);
});

afterAll(() => network?.dispose());

describe('viem', () => {
  const clients = () => {
    const chain = getChain(network);
    const transport = http(undefined, { retryCount: 0 });
    const reader = createPublicClient({ chain, transport, pollingInterval: 50 });
    const writer = (account: Account) => createWalletClient({ chain, transport, account });
    return { chain, reader, writer };
  };

  test('reads the chain, and sends value with what it finds out by itself', async () => {
    const { reader, writer } = clients();
    const [sender, to] = [privateKeyToAccount(devKey(0)), '0x00000000000000000000000000000000000a11ce' as const];
    expect(await reader.getChainId()).toBe(1337);
    expect(await reader.getBalance({ address: sender.address })).toBe(parseEther('10000'));
    const hash = await writer(sender).sendTransaction({ to, value: parseEther('1.5') });
    const receipt = await reader.waitForTransactionReceipt({ hash });
    expect(receipt).toMatchObject({ status: 'success', type: 'eip1559', gasUsed: 21_000n, logs: [] });
    expect(await reader.getBalance({ address: to })).toBe(parseEther('1.5'));
    const before = await reader.getBalance({ address: to, blockNumber: receipt.blockNumber - 1n });
    expect(before).toBe(0n);
    expect(await reader.getTransaction({ hash })).toMatchObject({ from: sender.address.toLowerCase(), to });
    expect(await reader.getTransactionCount({ address: sender.address, blockTag: 'pending' })).toBe(1);
  });

  test('deploys a token, reads its events, and tells a custom error', async () => {
    const { reader, writer } = clients();
    const owner = privateKeyToAccount(devKey(1));
    const wallet = writer(owner);
    const made = await wallet.deployContract({ ...token, args: ['Coin', 'CN', 1_000n] });
    const { contractAddress } = await reader.waitForTransactionReceipt({ hash: made });
    if (!contractAddress) throw new Error('no contract was made');
    const contract = getContract({ address: contractAddress, abi: token.abi, client: { public: reader, wallet } });
    expect(await contract.read.balanceOf?.([owner.address])).toBe(1_000n);

    const moved: Hash | undefined = await contract.write.transfer?.([devAddress(2), 300n]);
    const receipt = await reader.waitForTransactionReceipt({ hash: moved ?? '0x' });
    const [event, ...others] = await reader.getContractEvents({
      address: contractAddress,
      abi: token.abi,
      eventName: 'Transfer',
      args: { to: devAddress(2) },
      fromBlock: 0n,
    });
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      args: { from: owner.address, to: devAddress(2), value: 300n },
      transactionHash: moved,
      blockNumber: receipt.blockNumber,
    });

    const failing = reader.simulateContract({
      address: contractAddress,
      abi: token.abi,
      functionName: 'transfer',
      args: [devAddress(0), 999n],
      account: devAddress(2),
    });
    await expect(failing).rejects.toThrow(/NotEnough[\s\S]*300[\s\S]*999/);
    const denied = { address: contractAddress, abi: token.abi, functionName: 'transferFrom', account: devAddress(3) };
    await expect(reader.simulateContract({ ...denied, args: [owner.address, devAddress(3), 1n] })).rejects.toThrow(
      'not allowed',
    );
  });

  test('a transaction that reverts is in a block, with status 0 and its gas paid', async () => {
    const { reader, writer } = clients();
    const wallet = writer(privateKeyToAccount(devKey(3)));
    // Init code that reverts at once.
    const hash = await wallet.sendTransaction({ data: '0x5f5ffd', gas: 100_000n });
    const receipt = await reader.waitForTransactionReceipt({ hash });
    expect(receipt).toMatchObject({ status: 'reverted', to: null });
    expect(await reader.getCode({ address: receipt.contractAddress ?? '0x' })).toBeUndefined();
  });

  test('lets an account run the code of a contract, in a transaction that another account pays (EIP-7702)', async () => {
    const { reader, writer } = clients();
    const [payer, owner] = [privateKeyToAccount(devKey(3)), privateKeyToAccount(devKey(2))];
    // Answers 42, and keeps it in slot 0: PUSH1 42 PUSH0 SSTORE PUSH1 42 PUSH0 MSTORE PUSH1 32 PUSH0 RETURN.
    const made = await writer(payer).sendTransaction({ data: '0x600c8060095f395ff3602a5f55602a5f5260205ff3' });
    const { contractAddress } = await reader.waitForTransactionReceipt({ hash: made });
    if (!contractAddress) throw new Error('no contract was made');
    const authorization = await writer(owner).signAuthorization({ contractAddress });
    const hash = await writer(payer).sendTransaction({ authorizationList: [authorization], to: owner.address });
    const receipt = await reader.waitForTransactionReceipt({ hash });
    expect(receipt).toMatchObject({ status: 'success', type: 'eip7702', to: owner.address.toLowerCase() });
    const delegate = contractAddress.toLowerCase();
    expect(await reader.getCode({ address: owner.address })).toBe(`0xef0100${delegate.slice(2)}`);
    expect(BigInt((await reader.getStorageAt({ address: owner.address, slot: '0x0' })) ?? '0x0')).toBe(42n);
    expect(await reader.getTransaction({ hash })).toMatchObject({
      type: 'eip7702',
      authorizationList: [{ address: delegate, chainId: 1337, nonce: 0 }],
    });
    expect(await reader.getTransactionCount({ address: owner.address })).toBe(1);

    // It can still send, calls run its code, and it can take the code away on its own.
    expect((await reader.call({ to: owner.address })).data).toBe(`0x${'2a'.padStart(64, '0')}`);
    const own = writer(owner);
    const undo = await own.signAuthorization({
      contractAddress: '0x0000000000000000000000000000000000000000',
      executor: 'self',
    });
    const undone = await own.sendTransaction({ authorizationList: [undo], to: owner.address });
    expect(await reader.waitForTransactionReceipt({ hash: undone })).toMatchObject({ status: 'success' });
    expect(await reader.getCode({ address: owner.address })).toBeUndefined();
    expect(await reader.getTransactionCount({ address: owner.address })).toBe(3);
  });

  test('has the node sign for a development account', async () => {
    const { chain, reader } = clients();
    const wallet = createWalletClient({ chain, transport: http(undefined, { retryCount: 0 }) });
    const [, , , , , account] = await wallet.getAddresses();
    if (account === undefined) throw new Error('the node has no accounts');
    const hash = await wallet.sendTransaction({ account, to: devAddress(0), value: 1n });
    expect(await reader.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' });
    const message = 'hello';
    const signature = await wallet.signMessage({ account, message });
    expect(await verifyMessage({ address: account, message, signature })).toBe(true);
    const order = {
      domain: { name: 'Shop', version: '1', chainId: 1337 },
      types: {
        Item: [{ name: 'price', type: 'uint96' }],
        Order: [
          { name: 'items', type: 'Item[]' },
          { name: 'note', type: 'bytes' },
        ],
      },
      primaryType: 'Order',
      message: { items: [{ price: 5n }, { price: 2n ** 90n }], note: '0x0102' },
    } as const;
    const typed = await wallet.signTypedData({ account, ...order });
    expect(await verifyTypedData({ address: account, signature: typed, ...order })).toBe(true);
  });

  test('follows blocks, events and pending transactions by websocket', async () => {
    const { chain, reader, writer } = clients();
    const socket = createPublicClient({ chain, transport: webSocket(undefined, { retryCount: 0 }) });
    const account = privateKeyToAccount(devKey(4));
    const wallet = writer(account);
    const made = await wallet.deployContract({ ...token, args: ['Coin', 'CN', 50n] });
    const { contractAddress } = await reader.waitForTransactionReceipt({ hash: made });
    const address = contractAddress ?? '0x';
    const blocks: bigint[] = [];
    const pending: Hash[] = [];
    const logs: { transactionHash: Hash | null }[] = [];
    const stops = [
      socket.watchBlocks({ onBlock: ({ number }) => blocks.push(number) }),
      socket.watchPendingTransactions({ onTransactions: (hashes) => pending.push(...hashes) }),
      socket.watchContractEvent({ address, abi: token.abi, onLogs: (found) => logs.push(...found) }),
    ];
    await until('the subscription of blocks', () => blocks.length > 0 || undefined);
    const contract = getContract({ address, abi: token.abi, client: wallet });
    const hash: Hash = (await contract.write.transfer?.([devAddress(0), 1n])) ?? '0x';
    await until('all three tell of it', () => (pending.includes(hash) && logs.length > 0) || undefined);
    expect(logs.map(({ transactionHash }) => transactionHash)).toEqual([hash]);
    const { blockNumber } = await reader.getTransactionReceipt({ hash });
    await until('its block', () => blocks.includes(blockNumber) || undefined);
    expect(blocks).toEqual(blocks.map((_, index) => (blocks[0] ?? 0n) + BigInt(index)));
    for (const stop of stops) stop();
    await socket.transport.getRpcClient().then((client: { close(): void }) => client.close());
  });
});

describe('ethers', () => {
  const wallet = (key: Hex) => {
    const provider = new JsonRpcProvider(network.url('evm'), undefined, { pollingInterval: 50, cacheTimeout: -1 });
    return { provider, signer: new Wallet(key, provider) };
  };

  test('asks in batches, sends value, and waits for the receipt', async () => {
    const { provider, signer } = wallet(devKey(0));
    const [{ chainId }, fees, count] = await Promise.all([
      provider.getNetwork(),
      provider.getFeeData(),
      provider.getTransactionCount(signer.address),
    ]);
    expect(chainId).toBe(1337n);
    expect(fees.maxFeePerGas).toBeGreaterThan(0n);
    const to = '0x000000000000000000000000000000000000b0b0';
    const sent = await signer.sendTransaction({ to, value: 12n });
    expect(sent.nonce).toBe(count);
    const receipt = await sent.wait();
    expect(receipt?.status).toBe(1);
    expect(await provider.getBalance(to)).toBe(12n);
    provider.destroy();
  });

  test('deploys a token and finds its events, also by websocket', async () => {
    const { provider, signer } = wallet(DEV_KEYS[2] ?? '0x');
    const factory = new ContractFactory(token.abi, token.bytecode, signer);
    const deployed = await factory.deploy('Coin', 'CN', 77n);
    const address = await deployed.getAddress();
    await deployed.waitForDeployment();
    const contract = new Contract(address, token.abi, signer);
    const socket = new WebSocketProvider(network.url('evmWs').replace('http', 'ws'));
    const received: bigint[] = [];
    await new Contract(address, token.abi, socket).on('Transfer', (_from, _to, value: bigint) => received.push(value));
    const moved = await contract.getFunction('transfer')(devAddress(1), 7n);
    await moved.wait();
    const events = await contract.queryFilter('Transfer');
    expect(events.map(({ transactionHash }) => transactionHash)).toContain(moved.hash);
    expect(await contract.getFunction('balanceOf')(devAddress(1))).toBe(7n);
    await until('the event', () => received.length > 0 || undefined);
    expect(received).toEqual([7n]);
    await expect(contract.getFunction('transfer').staticCall(devAddress(1), 71n)).rejects.toMatchObject({
      code: 'CALL_EXCEPTION',
      revert: { name: 'NotEnough', args: [70n, 71n] },
    });
    await socket.destroy();
    provider.destroy();
  });

  test('has the node sign for a development account', async () => {
    const { provider } = wallet(devKey(0));
    const signer = await provider.getSigner(6);
    const sent = await signer.sendTransaction({ to: devAddress(0), value: 1n });
    expect((await sent.wait())?.status).toBe(1);
    expect(verifyEthersMessage('hello', await signer.signMessage('hello'))).toBe(signer.address);
    provider.destroy();
  });

  test('knows the errors of a node by their words', async () => {
    const { provider, signer } = wallet(devKey(1));
    const nonce = await provider.getTransactionCount(signer.address);
    await expect(signer.sendTransaction({ to: devAddress(0), value: 10n ** 30n })).rejects.toMatchObject({
      code: 'INSUFFICIENT_FUNDS',
    });
    const old = { to: devAddress(0), nonce: nonce - 1, gasLimit: 21_000n, maxFeePerGas: 10n ** 9n };
    await expect(signer.sendTransaction({ ...old, maxPriorityFeePerGas: 1n })).rejects.toMatchObject({
      code: 'NONCE_EXPIRED',
    });
    provider.destroy();
  });
});

describe('a wallet in a browser', () => {
  test('may ask from any page', async () => {
    const origin = 'https://wallet.example';
    const preflight = await fetch(network.url('evm'), {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    });
    expect(preflight.status).toBeLessThan(300);
    expect(preflight.headers.get('access-control-allow-origin')).toMatch(/^(\*|https:\/\/wallet\.example)$/);
    expect(preflight.headers.get('access-control-allow-headers')).toMatch(/content-type|\*/i);
  });

  test('asks what MetaMask asks when a network is added', async () => {
    const ask = (method: string, ...params: unknown[]) =>
      rpc(network.url('evm'), { jsonrpc: '2.0', id: 7, method, params });
    expect(await ask('eth_chainId')).toEqual({ jsonrpc: '2.0', id: 7, result: '0x539' });
    expect(await ask('net_version')).toEqual({ jsonrpc: '2.0', id: 7, result: '1337' });
    expect(await ask('eth_getBlockByNumber', 'latest', false)).toMatchObject({
      result: { baseFeePerGas: expect.stringMatching(/^0x/), hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
    });
    expect(await ask('eth_feeHistory', '0x5', 'latest', [10, 50])).toMatchObject({
      result: { oldestBlock: expect.any(String) },
    });
  });
});
