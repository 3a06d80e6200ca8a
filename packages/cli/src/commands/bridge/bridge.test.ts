import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bob, carol } from '@switchyard/network/accounts';
import type { Payment, WithdrawerStatus } from '@switchyard/withdrawer/contract';
import { expect, onTestFinished, test } from 'vitest';
import type { WithdrawerPort } from '../../connect.ts';
import { connections } from '../../connect.ts';
import { switchyard } from '../../switchyard.ts';
import { runWith } from '../../testing.ts';

const sheet = {
  ...{ height: 40n, locked: '1000', minted: '700', unpaid: '250', arriving: '0', uncredited: '40', surplus: '10' },
  ...{ uncovered: '5', isBalanced: true },
};
const status: WithdrawerStatus = {
  ...{ bridge: carol.address, asset: 'nria', account: carol.address, rollup: 'messenger', commitment: 'firm' },
  ...{ sequencerChainId: 'chain-0', withdrawals: 5, open: 2, held: 1, paid: 3, paidSum: '600', sheet, trouble: null },
};
const payment: Payment = {
  ...{ eventId: 'e1', block: 7n, sender: 'alice', to: bob.address, amount: '200' },
  state: 'waiting',
};
const payments: Payment[] = [
  payment,
  { ...payment, eventId: 'e2', to: 'x\u001b[2J', amount: '50', state: 'held', reason: 'the destination is no address' },
  { ...payment, eventId: 'e0', state: 'paid', transaction: 'ab'.repeat(32), height: 30n, fee: '12' },
];

const run = (args: readonly string[], withdrawer: Partial<WithdrawerPort> = {}) =>
  runWith((cli, connect) => switchyard(cli, ['bridge', ...args], connect), ['bridge', ...args], {
    withdrawer: { status: async () => status, withdrawals: async (limit) => payments.slice(0, limit), ...withdrawer },
  });

test('status shows what the account holds and owes, and what is held with its reason', async () => {
  const ran = await run(['status']);
  expect(ran).toMatchObject({ status: 0, stderr: '', urls: ['http://127.0.0.1:2451'] });
  expect(ran.stdout.split('\n')).toEqual([
    'Rollup: messenger',
    `Bridge account: ${carol.address}, nria`,
    `Paid by: ${carol.address}, from firm blocks`,
    'Withdrawals: 3 paid (600), 1 waiting, 1 held',
    'Balance sheet at height 40, in nria:',
    '  locked        1000  balance of the bridge account',
    '  = minted       700  deposited and not withdrawn',
    '  + unpaid       250  withdrawn and not paid, as far as deposits cover it',
    '  + arriving       0  deposits on their way, at most',
    '  + uncredited    40  deposits that the rollup refused',
    '  + surplus       10  plain transfers to the account; a shortfall, if negative',
    'Not owed: 5, withdrawn beyond all deposits, such as coins of the genesis',
    'Held: e2: 50 to x\\u{1b}[2J: the destination is no address',
    '',
  ]);
  const { stdout } = await run(['status', '--url', 'http://node:1/', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ rollup: 'messenger', open: 2, sheet: { locked: '1000' } });
  expect(JSON.parse(stdout).heldWithdrawals.map(({ eventId }: Payment) => eventId)).toEqual(['e2']);
});

test.each<[string, Partial<WithdrawerStatus>, string]>([
  [
    'something is missing',
    { sheet: { ...sheet, surplus: '-5', isBalanced: false } },
    `bridge account ${carol.address}: expected at least what it owes, got 5 less at height 40\n`,
  ],
  [
    'nothing can be paid',
    { trouble: 'the rollup did not answer' },
    'withdrawals are not paid: the rollup did not answer\n',
  ],
])('status ends with 1 and one line where %s', async (_, more, line) => {
  const ran = await run(['status'], { status: async () => ({ ...status, ...more }) });
  expect(ran.status).toBe(1);
  expect(ran.stderr).toBe(line);
  expect(ran.stdout).toContain('Withdrawals: 3 paid');
});

test('an account that is not initialized owes nothing', async () => {
  const fresh = { asset: null, rollup: null, sheet: null, withdrawals: 0, open: 0, held: 0, paid: 0, paidSum: '0' };
  const ran = await run(['status'], { status: async () => ({ ...status, ...fresh }) });
  expect(ran).toMatchObject({ status: 0, stderr: '' });
  expect(ran.stdout).toContain(
    `Bridge account: ${carol.address}, not initialized yet (\`switchyard sequencer init-bridge-account\`)`,
  );
});

test('withdrawals are listed with their outcomes', async () => {
  const { stdout } = await run(['withdrawals']);
  expect(stdout.split('\n')).toEqual([
    `e1: 200 of alice in block 7 to ${bob.address}: waiting`,
    'e2: 50 of alice in block 7 to x\\u{1b}[2J: held: the destination is no address',
    `e0: 200 of alice in block 7 to ${bob.address}: paid by ${'ab'.repeat(32)} in block 30, less a fee of 12`,
    '',
  ]);
  expect(JSON.parse((await run(['withdrawals', '--limit', '1', '--json'])).stdout)).toHaveLength(1);
  expect((await run(['withdrawals'], { withdrawals: async () => [] })).stdout).toBe('no withdrawals were read\n');
});

/** The commands with real connections. */
const connected = (args: readonly string[]) =>
  runWith((cli) => switchyard(cli, ['bridge', ...args], connections), ['bridge', ...args]);

test('answers are read from the withdrawer, and one of another service is refused', async () => {
  const answers: Record<string, unknown> = {
    '/status': { pid: 1, ...status, sheet: { ...sheet, height: 40 } },
    '/v1/withdrawals?limit=100': { withdrawals: payments.map((each) => ({ ...each, block: 7, height: undefined })) },
  };
  const server = createServer((request, response) => {
    const body = answers[request.url ?? ''];
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? { error: { code: 'http', message: 'no route' } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect((await connected(['status', '--url', url])).stdout).toContain('Held: e2: 50');
  expect((await connected(['withdrawals', '--url', url])).stdout).toContain('e1: 200 of alice');
  answers['/status'] = { pid: 1, height: 5 };
  const other = await connected(['status', '--url', url]);
  expect(other).toMatchObject({ status: 1, stdout: '' });
  expect(other.stderr.trimEnd().split('\n')).toHaveLength(1);
  await new Promise((resolve) => server.close(resolve));
  const nowhere = await connected(['status', '--url', url]);
  expect(nowhere).toMatchObject({ status: 1, stdout: '' });
  expect(nowhere.stderr).toContain(`no answer from the withdrawer at ${url}: nothing listens there`);
  expect(nowhere.stderr.trimEnd().split('\n')).toHaveLength(1);
});

test('arguments that cannot be used are reported in one line', async () => {
  expect(await run(['status', '--url', 'x'])).toMatchObject({ status: 2, stdout: '' });
  expect(await run(['withdrawals', '--limit', '0'])).toMatchObject({ status: 2, stdout: '' });
});
