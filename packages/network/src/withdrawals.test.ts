import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sequencerClient, submitAndWait } from '@switchyard/client';
import { Input, requestPath } from '@switchyard/client/rollup';
import { WITHDRAWER_ADDRESS, withdrawalCall } from '@switchyard/evm/client';
import {
  createSigner,
  fromHex,
  parseAnyAddress,
  parseDenom,
  rollupIdFromName,
  txHashFromHex,
  withdrawalEventId,
} from '@switchyard/protocol';
import { getPayment, payment } from '@switchyard/withdrawer/contract';
import { expect, test, vi } from 'vitest';
import { alice, bob } from './accounts/accounts.ts';
import { toBridgeAccount } from './accounts/bridges.ts';
import { evm, localNetwork, messenger } from './index.ts';

/** The sequencer's, which each withdrawal pays. */
const FEE = 12n;

const settings = { 'messenger-withdrawer': { SVC_WITHDRAWER_POLL_MS: '10' } };

const started = (directory?: string) =>
  localNetwork({
    ...{ rollups: [messenger()], withdrawals: true, settings, ...(directory !== undefined && { directory }) },
    listen: { sequencer: { rpc: 0 } },
  });
type Network = Awaited<ReturnType<typeof started>>;

const getSequencer = ({ urls }: Network) => sequencerClient({ rpcUrl: urls.sequencer?.rpc ?? '' });

const balanceOf = async (network: Network, address: string): Promise<bigint> => {
  const { balances } = await getSequencer(network).balances(address);
  return balances.find(({ asset }) => asset === network.asset)?.amount ?? 0n;
};

async function getStatus(network: Network) {
  const answer = await network.fetch('messenger-withdrawer', '/status');
  return (await answer.json()) as {
    open: number;
    held: number;
    paid: number;
    trouble: string | null;
    sheet: { locked: string; minted: string; unpaid: string; surplus: string; isBalanced: boolean } | null;
  };
}

async function findPayment(network: Network, transaction: string, action = 0) {
  const path = requestPath(getPayment, { eventId: withdrawalEventId(txHashFromHex(transaction), action) });
  const answer = await network.fetch('messenger-withdrawer', path);
  return answer.status === 404 ? undefined : payment.read(new Input(await answer.json(), path));
}

const eventually = <T>(check: () => Promise<T>) => vi.waitFor(check, { timeout: 20_000, interval: 10 });

const deposited = async (network: Network, amount: bigint) => {
  await network.deposit({ rollup: 'messenger', to: alice.address, amount });
  const before = network.client('messenger');
  await eventually(async () => expect((await before.deposits()).items.length).toBeGreaterThan(0));
};

test('what was deposited comes back to an account of the sequencer, and the sheet is balanced', async () => {
  await using network = await started();
  await deposited(network, 1_000n);
  const rollup = network.client('messenger');
  const { hash } = await rollup.submitWithdrawal(bob.address, 400n);
  await rollup.waitFor(hash);
  await eventually(async () =>
    expect(await findPayment(network, hash)).toMatchObject({ state: 'paid', amount: '400' }),
  );
  expect(await balanceOf(network, bob.address)).toBe(400n - FEE);
  await eventually(async () =>
    expect((await getStatus(network)).sheet).toMatchObject({ minted: '600', unpaid: '0', isBalanced: true }),
  );
  expect((await network.fetch('messenger-withdrawer', '/readyz')).status).toBe(200);
}, 60_000);

test('a destination that cannot be paid is held with its reason, and holds up no other', async () => {
  await using network = await started();
  await deposited(network, 1_000n);
  const { address, key } = toBridgeAccount('another');
  const sequencer = getSequencer(network);
  const { chainId, asset } = network;
  const nria = parseDenom(asset);
  const pay = { kind: 'transfer', to: parseAnyAddress(address), amount: 100n, asset: nria, feeAsset: nria } as const;
  await submitAndWait(sequencer, createSigner(fromHex(alice.key)), { chainId, actions: [pay] });
  const rollupId = rollupIdFromName('another');
  const init = { kind: 'initBridgeAccount', rollup: rollupId, asset: nria, feeAsset: nria } as const;
  const actions = [{ ...init, sudo: undefined, withdrawer: undefined }];
  await submitAndWait(sequencer, createSigner(fromHex(key)), { chainId, actions });
  const rollup = network.client('messenger');
  const [first, stuck, last] = await Promise.all([
    rollup.submitWithdrawal(bob.address, 101n),
    rollup.submitWithdrawal(address, 102n),
    rollup.submitWithdrawal(bob.address, 103n),
  ]);
  for (const { hash } of [first, stuck, last]) await rollup.waitFor(hash);
  await eventually(async () => {
    expect(await findPayment(network, first.hash)).toMatchObject({ state: 'paid' });
    expect(await findPayment(network, last.hash)).toMatchObject({ state: 'paid' });
    expect(await findPayment(network, stuck.hash)).toMatchObject({
      state: 'held',
      reason: expect.stringContaining('bridge'),
    });
  });
  expect(await balanceOf(network, bob.address)).toBe(204n - 2n * FEE);
  expect(await getStatus(network)).toMatchObject({ open: 1, held: 1, paid: 2 });
}, 60_000);

test('a ledger that is lost is made again, and pays nothing twice', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'withdrawals-'));
  try {
    await using network = await started(directory);
    await deposited(network, 10_000n);
    const rollup = network.client('messenger');
    for (let amount = 101n; amount <= 120n; amount += 1n) await rollup.submitWithdrawal(bob.address, amount);
    await eventually(async () => expect(await getStatus(network)).toMatchObject({ open: 0, paid: 20 }));
    await network.stop('messenger-withdrawer');
    rmSync(join(directory, 'data', 'messenger-withdrawer'), { recursive: true });
    const { hash } = await rollup.submitWithdrawal(bob.address, 121n);
    await rollup.waitFor(hash);
    await network.start('messenger-withdrawer');
    await eventually(async () => expect(await getStatus(network)).toMatchObject({ open: 0, paid: 21 }));
    expect(await balanceOf(network, bob.address)).toBe(2_331n - 21n * FEE);
    await eventually(async () => expect((await getStatus(network)).sheet).toMatchObject({ isBalanced: true }));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}, 60_000);

test('a key that is not the withdrawer of the bridge account any more is reported, and pays nothing', async () => {
  await using network = await started();
  await deposited(network, 1_000n);
  const { address, key } = toBridgeAccount('messenger');
  const change = async (withdrawer: string) => {
    const action = { kind: 'bridgeSudoChange', bridge: parseAnyAddress(address), newSudo: undefined } as const;
    const feeAsset = parseDenom(network.asset);
    const actions = [{ ...action, newWithdrawer: parseAnyAddress(withdrawer), feeAsset, disableDeposits: false }];
    await submitAndWait(getSequencer(network), createSigner(fromHex(key)), { chainId: network.chainId, actions });
  };
  await change(alice.address);
  const rollup = network.client('messenger');
  const { hash } = await rollup.submitWithdrawal(bob.address, 500n);
  await rollup.waitFor(hash);
  await eventually(async () =>
    expect((await getStatus(network)).trouble).toContain(`the withdrawer of the bridge account is ${alice.address}`),
  );
  expect((await network.fetch('messenger-withdrawer', '/readyz')).status).toBe(503);
  expect(await balanceOf(network, bob.address)).toBe(0n);
  await change(address);
  await eventually(async () => expect(await findPayment(network, hash)).toMatchObject({ state: 'paid' }));
}, 60_000);

test('coins of the EVM come back by the contract of its genesis', async () => {
  await using network = await localNetwork({
    ...{ rollups: [evm()], withdrawals: true, listen: { sequencer: { rpc: 0 } } },
  });
  const [account] = network.accounts.evm;
  const address = account?.address ?? '';
  const node = network.client('evm');
  const before = await node.balance(address);
  await network.deposit({ rollup: 'evm', to: address, amount: 10_000n });
  await eventually(async () => expect(await node.balance(address)).toBe(before + 10_000n * 10n ** 9n));
  const call = { to: WITHDRAWER_ADDRESS, value: 4_000n * 10n ** 9n, data: withdrawalCall(bob.address) };
  const { raw } = await node.signedCall(call, Buffer.from(account?.key.slice(2) ?? '', 'hex'));
  await node.send(raw);
  await eventually(async () => {
    const answer = await network.fetch('evm-withdrawer', '/status');
    expect(await answer.json()).toMatchObject({
      ...{ rollup: 'evm', open: 0, paid: 1, paidSum: '4000' },
      sheet: { minted: '6000', unpaid: '0', isBalanced: true },
    });
  });
  const { balances } = await sequencerClient({ rpcUrl: network.urls.sequencer?.rpc ?? '' }).balances(bob.address);
  expect(balances).toMatchObject([{ asset: network.asset, amount: 4_000n - FEE }]);
}, 60_000);

test('coins that no deposit covers are not paid out of what the bridge account holds, and hold up no other', async () => {
  await using network = await localNetwork({
    ...{ rollups: [evm()], withdrawals: true, listen: { sequencer: { rpc: 0 } } },
  });
  const [account] = network.accounts.evm;
  const node = network.client('evm');
  await network.deposit({ rollup: 'evm', to: account?.address ?? '', amount: 4_000n });
  const locked = await eventually(async () => {
    const { sheet } = (await (await network.fetch('evm-withdrawer', '/status')).json()) as {
      sheet: { locked: string };
    };
    return BigInt(sheet.locked);
  });
  // The account of the bridge holds more than was deposited.
  for (const units of [locked, 4_000n]) {
    const call = { to: WITHDRAWER_ADDRESS, value: units * 10n ** 9n, data: withdrawalCall(bob.address) };
    const { raw } = await node.signedCall(call, Buffer.from(account?.key.slice(2) ?? '', 'hex'));
    const hash = await node.send(raw);
    await eventually(async () => expect(await node.transactionStatus(hash)).toMatchObject({ status: 'included' }));
  }
  await eventually(async () => {
    const answer = await network.fetch('evm-withdrawer', '/status');
    expect(await answer.json()).toMatchObject({
      ...{ open: 1, held: 1, paid: 1, paidSum: '4000' },
      sheet: { minted: '0', unpaid: '0', uncovered: String(locked), isBalanced: true },
    });
  });
  expect((await network.fetch('evm-withdrawer', '/readyz')).status).toBe(200);
}, 60_000);
