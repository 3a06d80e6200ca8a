import { WITHDRAWER_ADDRESS } from '@switchyard/evm/client';
import { alice, bob, dave } from '@switchyard/network/accounts';
import { evmAccounts } from '@switchyard/network/evm-accounts';
import { JsonRpcError } from '@switchyard/service';
import { Failure } from '@switchyard/service/failure';
import { expect, test } from 'vitest';
import type { EvmPort } from '../../connect.ts';
import { switchyard } from '../../switchyard.ts';
import { runWith } from '../../testing.ts';

const GWEI = 10n ** 9n;
const ETHER = 10n ** 18n;
const HASH = `0x${'ab'.repeat(32)}` as const;
const EVENT_ID = `${HASH}.0x${'00'.repeat(32)}`;
const [mine] = evmAccounts;
const from = mine?.address.toLowerCase() as `0x${string}`;
const withdraw = (args: readonly string[]) => ['evm', 'withdraw', ...args];
const FEE = 60_000n * GWEI;

/** A node that executes everything in block 12, and the calls that it was sent. */
function withdrawing(more: Partial<EvmPort> = {}) {
  const sent: object[] = [];
  const node: Partial<EvmPort> = {
    bridgeContract: async () => ({ precision: 9, divisor: GWEI, bridgeAddress: dave.address, asset: 'ntia' }),
    balance: async () => ETHER,
    signedCall: async ({ to, value }) => {
      sent.push({ to, value });
      return { raw: Uint8Array.of(2), from, fee: FEE };
    },
    send: async () => HASH,
    transactionStatus: async () => ({ status: 'included', block: '0xc', index: '0x0', success: true, firm: false }),
    withdrawals: async (blockNumber) => [
      {
        ...{ blockNumber, blockHash: HASH, transactionHash: HASH, logIndex: 0n, eventId: EVENT_ID, sender: from },
        ...{ amount: ETHER / 2n, destination: bob.address },
      },
    ],
    ...more,
  };
  const run = (args: readonly string[], env = {}) =>
    runWith((cli, connect) => switchyard(cli, withdraw(args), connect), withdraw(args), {
      evm: node,
      env: { ETH_RPC_URL: 'http://127.0.0.1:1', ETH_PRIVATE_KEY: `0x${mine?.key}`, ...env },
    });
  return { run, sent };
}

test('coins are withdrawn, and the event is named that the sequencer pays for', async () => {
  const { run, sent } = withdrawing();
  const ran = await run(['--to', bob.address, '--amount', '0.5', '--json']);
  expect(sent).toEqual([{ to: WITHDRAWER_ADDRESS, value: ETHER / 2n }]);
  expect(JSON.parse(ran.stdout)).toEqual({
    ...{ from, to: bob.address, amount: '500000000', asset: 'ntia', wei: '500000000000000000' },
    ...{ txHash: HASH, block: 12, eventId: EVENT_ID },
  });
  const { stdout } = await run(['--to', bob.address, '--amount', '0.5']);
  expect(stdout).toBe(
    `withdrew 0.5 of ${from} in block 12\nTransaction hash: ${HASH}\n${dave.address} owes ${bob.address} 500000000 ntia for the event ${EVENT_ID}\n`,
  );
});

const reverted = new JsonRpcError(3, 'execution reverted: amount is below the minimum');

test.each<[string, string[], Partial<EvmPort>, string]>([
  [
    'less than the sequencer can count',
    ['--amount', '0.0000000001'],
    {},
    '--amount: expected a number above 0 with at most 9 digits after the point, got "0.0000000001"',
  ],
  [
    'nothing',
    ['--amount', '0'],
    {},
    '--amount: expected a number above 0 with at most 9 digits after the point, got "0"',
  ],
  ['without an address', ['--to', 'bob'], {}, '--to: expected an address in bech32m form, got "bob"'],
  ['to another chain', ['--to', 'celestia1e0dp5sk98u6ks8dey4zdhrp3p8tka65u8yppet'], {}, '--to: '],
  ['to the bridge account', ['--to', dave.address], {}, '--to: expected another account than the bridge account'],
  [
    'without a contract',
    [],
    { bridgeContract: async () => undefined },
    `the rollup has no contract at ${WITHDRAWER_ADDRESS}`,
  ],
  ['more than there is', ['--amount', '2'], {}, `${from}: expected 2 coins, got 1`],
  ['all, with nothing for the fee', ['--amount', '1'], {}, `${from}: expected 1.00006 coins with the fee, got 1`],
  [
    'what the contract refuses',
    [],
    {
      signedCall: async () => {
        throw new Failure(reverted.message);
      },
    },
    'amount is below the minimum',
  ],
  [
    'what no block executed',
    [],
    { transactionStatus: async () => ({ status: 'refused', reason: 'fee cap 1' }) },
    `transaction ${HASH} was refused, nothing was withdrawn: fee cap 1`,
  ],
  [
    'what reverted',
    [],
    { transactionStatus: async () => ({ status: 'included', block: '0xc', success: false }) },
    `transaction ${HASH} reverted in block 12: nothing was withdrawn`,
  ],
  [
    'what no block has',
    ['--timeout', '1'],
    { transactionStatus: async () => ({ status: 'queued' }) },
    `sent as ${HASH}, which is queued after 1 s`,
  ],
])('reports in one line that it does not withdraw %s', async (_, args, more, message) => {
  const { run } = withdrawing(more);
  const usual = { '--to': bob.address, '--amount': '0.5' };
  const given = Object.entries(usual).flatMap(([name, value]) => (args.includes(name) ? [] : [name, value]));
  const ran = await run([...args, ...given]);
  expect(ran.status).not.toBe(0);
  const [line = '', ...others] = ran.stderr.trimEnd().split('\n');
  expect(line).toContain(message);
  expect(others).toEqual([]);
});

test('a published key withdraws from a local node alone, and a key is needed', async () => {
  const { run, sent } = withdrawing();
  const args = ['--to', alice.address, '--amount', '0.5'];
  expect((await run(args, { ETH_RPC_URL: 'http://node.example:1' })).stderr).toContain('published development key');
  expect((await run(args, { ETH_PRIVATE_KEY: '' })).stderr).toContain('no signing key');
  expect(sent).toEqual([]);
});
