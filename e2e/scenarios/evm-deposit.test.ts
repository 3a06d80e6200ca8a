import { WITHDRAWER_ADDRESS } from '@switchyard/evm/client';
import { dave } from '@switchyard/network/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { castJson, castText, devAddress, devKey } from '../support/evm.ts';
import { createNetwork, type Network } from '../support/network.ts';

/** Both rollups on one sequencer, and money that comes from it. */
let network: Network;

beforeAll(async () => {
  network = await createNetwork({ init: ['--template', 'messenger,evm'], isBare: true, hasProcesses: false });
  await network.start();
});

afterAll(() => network?.dispose());

test('one command brings funds of the sequencer onto the EVM rollup, where they can be spent', async () => {
  const to = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
  const before = BigInt(await castText(network, 'balance', to));
  const deposit = (...args: string[]) =>
    network.switchyard('evm', 'deposit', ...args, '--instance', network.instance, '--json');
  const first = await deposit(to, '--amount', '1500000000');
  expect(first).toMatchObject({ status: 0 });
  const { block, wei } = JSON.parse(first.stdout);
  expect(wei).toBe('1500000000000000000');
  const { withdrawals } = await castJson(network, 'block', String(block));
  expect(withdrawals).toMatchObject([{ address: to.toLowerCase(), amount: '0x59682f00' }]);
  expect(BigInt(await castText(network, 'balance', to)) - before).toBe(15n * 10n ** 17n);

  expect(await deposit(to, '--amount', '2')).toMatchObject({ status: 0 });
  expect(BigInt(await castText(network, 'balance', to)) - before).toBe(15n * 10n ** 17n + 2n * 10n ** 9n);
});

test('one command takes coins of the EVM rollup out again, with the event that the sequencer pays for', async () => {
  const [to, contract] = ['astria1d7zjjljc0dsmxa545xkpwxym86g8uvvwhtezcr', WITHDRAWER_ADDRESS];
  const withdraw = (...args: string[]) =>
    network.switchyard(
      'evm',
      'withdraw',
      ...args,
      '--private-key',
      devKey(4),
      '--instance',
      network.instance,
      '--json',
    );
  const ran = await withdraw('--to', to, '--amount', '0.5');
  expect(ran).toMatchObject({ status: 0, stderr: '' });
  const { block, txHash, eventId } = JSON.parse(ran.stdout);
  expect(JSON.parse(ran.stdout)).toMatchObject({
    to,
    amount: '500000000',
    asset: 'ntia',
    from: devAddress(4).toLowerCase(),
  });
  expect(eventId).toBe(`${txHash}.0x${'00'.repeat(32)}`);
  const receipt = await castJson(network, 'receipt', txHash);
  expect(receipt).toMatchObject({ blockNumber: `0x${block.toString(16)}`, logs: [{ address: contract }] });
  expect(await castText(network, 'balance', contract)).toBe('500000000000000000');
  expect(await castText(network, 'call', contract, 'BASE_CHAIN_ASSET_DENOMINATION()(string)')).toContain('ntia');
  const held = async () => {
    const { stdout } = await network.switchyard('sequencer', 'balances', to, '--instance', network.instance);
    return BigInt(/(\d+) ntia/.exec(stdout)?.[1] ?? 0);
  };
  const before = await held();
  const pay = () =>
    network.switchyard(
      ...['sequencer', 'bridge-unlock', to, '--amount', '500000000', '--bridge-address', dave.address],
      ...['--rollup-block-number', String(block), '--event-id', eventId, '--private-key', dave.key],
      ...['--instance', network.instance],
    );
  expect(await pay()).toMatchObject({ status: 0 });
  expect((await held()) - before).toBe(500_000_000n);
  // An event is paid once.
  expect((await pay()).status).not.toBe(0);
  const wrong = await withdraw('--to', `${to.slice(0, -1)}q`, '--amount', '0.5');
  expect(wrong).toMatchObject({ status: 2, stderr: expect.stringContaining('--to:') });
});

test('the messenger continues beside it, and each has its own accounts', async () => {
  const key = '2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90';
  const sent = await network.rollupCli('submit', 'text', 'beside', 'alice', '--private-key', key);
  expect(sent).toMatchObject({ status: 0 });
  const receipt = await castJson(network, 'send', devAddress(3), '--value', '1', '--private-key', devKey(2));
  expect(receipt).toMatchObject({ status: '0x1' });
  const { stdout } = await network.switchyard('dev', 'accounts', '--instance', network.instance, '--json');
  const { accounts, evm } = JSON.parse(stdout);
  expect(accounts).toContainEqual(
    expect.objectContaining({ name: 'dave', bridge: expect.objectContaining({ asset: 'ntia' }) }),
  );
  expect(evm).toContainEqual(expect.objectContaining({ address: devAddress(2), nonce: 1 }));
  const status = await network.switchyard('dev', 'status', '--instance', network.instance);
  expect(status.stdout).toMatch(/rollup messenger block \d+ \(firm \d+\), rollup evm block \d+ \(firm \d+\)/);
});

test('a snapshot holds the EVM rollup too, and a reset forgets it', async () => {
  const dev = (...args: string[]) => network.switchyard('dev', ...args, '--instance', network.instance);
  const held = () => castText(network, 'balance', '0x00000000000000000000000000000000c0ffee00');
  const give = () =>
    castText(network, 'send', '0x00000000000000000000000000000000c0ffee00', '--value', '7', '--private-key', devKey(4));
  await give();
  expect(await dev('snapshot', 'save', 'before')).toMatchObject({ status: 0 });
  await give();
  expect(await held()).toBe('14');
  expect(await dev('snapshot', 'restore', 'before')).toMatchObject({ status: 0 });
  expect(await held()).toBe('7');
  await network.stop();
  expect(await dev('reset', 'state', '--yes')).toMatchObject({ status: 0 });
  await network.start();
  expect(await held()).toBe('0');
});
