import { alice, bob, carol, dave } from '@switchyard/network/accounts';
import { evmAccounts } from '@switchyard/network/evm-accounts';
import { rollupIdFromName } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import type { SequencerPort } from '../connect.ts';
import { rollupCli } from '../rollup-cli.ts';
import { switchyard } from '../switchyard.ts';
import { runWith } from '../testing.ts';

const [mine] = evmAccounts;
const other = { rollup: rollupIdFromName('other'), asset: 'nria', sudo: carol.address, withdrawer: carol.address };
const sequencer: Partial<SequencerPort> = {
  bridgeAccount: async (address) => (address === carol.address ? other : undefined),
};

const env = { ROLLUP_URL: 'http://127.0.0.1:1', ETH_RPC_URL: 'http://127.0.0.1:1', ETH_PRIVATE_KEY: `0x${mine?.key}` };
const commands = {
  'switchyard evm withdraw': (to: string, more: object) => {
    const args = ['evm', 'withdraw', '--to', to, '--amount', '0.5'];
    const evm = {
      bridgeContract: async () => ({ precision: 9, divisor: 10n ** 9n, bridgeAddress: dave.address, asset: 'nria' }),
      balance: async () => 0n,
    };
    return runWith((cli, connect) => switchyard(cli, args, connect), args, {
      evm,
      sequencer,
      env: { ...env, ...more },
    });
  },
  'rollup-cli submit withdraw': (to: string, more: object) => {
    const args = ['submit', 'withdraw', to, '--amount', '500', '--chain-id', 'messenger'];
    const rollup = { toSign: () => Promise.reject(new Error('it got past the destination')) };
    return runWith((cli, connect) => rollupCli(cli, connect), args, {
      ...{ rollup, sequencer, env: { ...env, ROLLUP_PRIVATE_KEY: alice.key, ...more } },
    });
  },
};

// Defect: A withdrawal to a bridge account burnt although the sequencer was known
test.each(Object.entries(commands))(
  '%s refuses a bridge account of the sequencer before anything burns',
  async (_, run) => {
    const known = { SEQUENCER_URL: 'http://127.0.0.1:2' };
    const refusal = `expected an account that withdrawals can be paid to, got the bridge account ${carol.address}`;
    const ran = await run(carol.address, known);
    expect([ran.status, ran.stderr]).toEqual([2, expect.stringContaining(refusal)]);
    // The command continues with an invalid account, or without a known sequencer.
    for (const each of [await run(bob.address, known), await run(carol.address, {})]) {
      expect(each.stderr).not.toContain('bridge account');
      expect(each.stderr).toMatch(/it got past the destination|expected 0.5 coins, got 0/);
    }
  },
);
