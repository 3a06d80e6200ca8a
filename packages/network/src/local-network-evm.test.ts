import { readBridgeContract, readWithdrawals, WITHDRAWER_ADDRESS, withdrawalCall } from '@switchyard/evm/client';
import { claim as claimRecord, info } from '@switchyard/faucet/contract';
import { messengerNode, parseGenesis } from '@switchyard/messenger/process';
import { parseInput } from '@switchyard/service/input';
import { expect, test } from 'vitest';
import { BadOptions, evm, localNetwork, messenger, rollup } from './index.ts';
import { messengerClient } from './messenger-client.ts';

/** For a machine that is busy. */
const PATIENT = { timeout: 30_000 };

const read = async (response: Response) => parseInput(await response.text(), response.url);

test('a network with everything: a text is firm by the layer, the EVM gets a deposit, faucets pay, the explorer shows', async () => {
  await using network = await localNetwork({
    rollups: [messenger(), evm()],
    ...{ faucet: true, explorer: true, layer: true },
  });
  const chat = network.client('messenger');
  const { hash } = await chat.submitText('posted');
  await chat.waitFor(hash, 'executed');
  await chat.waitFor(hash, 'firm');
  // The conductor may see the blobs before the relayer has its answer.
  await expect.poll(() => network.logs('relayer').join('\n'), PATIENT).toContain('blocks posted');

  const [account] = network.accounts.evm;
  const node = network.client('evm');
  const address = account?.address ?? '';
  const before = await node.balance(address);
  await network.deposit({ rollup: 'evm', to: address, amount: 7n });
  // The asset has nine decimals, and a coin of the EVM eighteen.
  await expect.poll(() => node.balance(address), PATIENT).toBe(before + 7_000_000_000n);

  const faucet = (path: string, init?: RequestInit) => network.fetch('messenger-faucet', path, init);
  expect(info.read(await read(await faucet('/api/info')))).toMatchObject({ rollup: 'messenger' });
  const { bob } = network.accounts;
  const funds = await chat.balance(bob.address);
  const body = JSON.stringify({ address: bob.address });
  const headers = { 'content-type': 'application/json' };
  const claimed = await faucet('/api/claim', { method: 'POST', headers, body });
  const claim = claimRecord.read(await read(claimed));
  await expect.poll(() => chat.balance(bob.address), PATIENT).toBe(funds + BigInt(claim.amount) * 10n ** 9n);

  const shown = async () => {
    const text = await (await network.fetch('explorer', '/v1/rollups')).text();
    return ['messenger', 'evm'].filter((name) => text.includes(`"${name}"`));
  };
  await expect.poll(shown, PATIENT).toEqual(['messenger', 'evm']);
});

test('coins of the EVM rollup are given up through the contract of its first block', async () => {
  await using network = await localNetwork({ rollups: [evm()] });
  const node = network.client('evm');
  const contract = await readBridgeContract(node);
  expect(contract).toMatchObject({ precision: 9, divisor: 10n ** 9n, asset: 'nria' });
  const key = Buffer.from(network.accounts.evm[0]?.key.slice(2) ?? '', 'hex');
  const { bob } = network.accounts;
  const call = { to: WITHDRAWER_ADDRESS, value: 500n * 10n ** 9n, data: withdrawalCall(bob.address) };
  const { raw, from, fee } = await node.signedCall(call, key);
  const before = await node.balance(from);
  const hash = await node.send(raw);
  await expect.poll(() => node.balance(WITHDRAWER_ADDRESS), PATIENT).toBe(call.value);
  const to = (await node.status()).latest.number;
  expect(await readWithdrawals({ client: node, from: 0n, to })).toMatchObject([
    { transactionHash: hash, sender: from, amount: call.value, destination: bob.address },
  ]);
  expect(before - call.value - (await node.balance(from))).toBeLessThanOrEqual(fee);
  // One unit less than the least amount that is worth its payment.
  const tooSmall = node.signedCall({ ...call, value: 99n * 10n ** 9n }, key);
  await expect(tooSmall).rejects.toThrow('amount is below the minimum');
});

const own = (genesis?: string) =>
  rollup({
    ...{ name: 'mine', process: messengerNode, parseGenesis },
    genesis: ({ rollupName, chainId }) =>
      genesis ?? JSON.stringify({ rollup_name: rollupName, sequencer_chain_id: chainId }),
  });

test('a rollup of the user runs by its own process, and is restarted as the others are', async () => {
  await using network = await localNetwork({ rollups: [own(), evm()] });
  await network.restart('mine');
  expect(await network.client('mine').status()).toMatchObject({ rollup: 'mine' });
});

test('who waits for a transaction gets the error of a part that has failed, and the network is closed all the same', async () => {
  let fail: (error: Error) => void = () => undefined;
  const main: typeof messengerNode.main = async (config, context) => {
    fail = context.fail;
    await messengerNode.main(config, context);
  };
  const mine = rollup({
    ...{ name: 'mine', process: { ...messengerNode, main }, client: messengerClient },
    genesis: ({ rollupName, chainId }) => JSON.stringify({ rollup_name: rollupName, sequencer_chain_id: chainId }),
  });
  await using network = await localNetwork({ rollups: [mine] });
  const waiting = network.client('mine').waitFor('00'.repeat(32), 'executed', { timeoutMs: 60_000 });
  fail(new Error('the action sendText cannot be applied'));
  await expect(waiting).rejects.toThrow('mine has ended: messenger: the action sendText cannot be applied');
  expect(network.failed.aborted).toBe(true);
  await network.start('mine');
  expect(network.failed.aborted).toBe(false);
});

test('a wrong genesis of the user and a wrong one of the EVM are refused before anything is started', async () => {
  await expect(localNetwork({ rollups: [own('{"rollup_name":3}')] })).rejects.toThrow(BadOptions);
  await expect(localNetwork({ rollups: [evm({ genesis: '{"config":{}}' })] })).rejects.toThrow('genesis of rollup evm');
});
