import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { evm, localNetwork } from '@switchyard/network';
import type { Hex } from 'viem';
import { clientsOf, deployCounter } from './client.ts';
import { counterAbi as abi } from './contract.ts';

/** The whole stack in this process; its node answers as any Ethereum node does. */
const rollup = evm({ name: 'evm' });
const network = await localNetwork({ rollups: [rollup], listen: { [rollup.name]: { http: 0 } } });
after(() => network.close());
const clients = await clientsOf(network.urls[rollup.name]?.http ?? '', network.accounts.evm[0]?.key as Hex);
const address = await deployCounter(clients);
const { reader, writer } = clients;

test('adds what a transaction states, and emits an event', async () => {
  const hash = await writer.writeContract({ address, abi, functionName: 'add', args: [5n] });
  const { status, blockNumber } = await reader.waitForTransactionReceipt({ hash });
  assert.equal(status, 'success');
  assert.equal(await reader.readContract({ address, abi, functionName: 'total' }), 5n);
  const [event] = await reader.getContractEvents({ address, abi, eventName: 'Added', fromBlock: blockNumber });
  assert.equal(event?.args.amount, 5n);
});

test('refuses to add nothing', async () => {
  const account = writer.account;
  await assert.rejects(
    reader.simulateContract({ address, abi, functionName: 'add', args: [0n], account }),
    /Empty\(\)/,
  );
});
