import { WITHDRAWER_ADDRESS, withdrawalCall } from '@switchyard/evm/client';
import { serveTestChain, TEST_BRIDGE, testChain, testDeposit } from '@switchyard/evm/testing';
import {
  accountIdFromBytes,
  createSigner,
  formatAddress,
  parseAddress,
  parseAnyAddress,
  rollupIdFromName,
} from '@switchyard/protocol';
import { silentLogger } from '@switchyard/service';
import { manualClock, seededKey } from '@switchyard/service/testing';
import { MemoryDisk } from '@switchyard/storage';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { evmSource } from './evm-source.ts';
import { Ledger } from './ledger.ts';
import { ModelSequencer } from './testing/model-chains.ts';
import { Withdrawer } from './withdrawer.ts';

const GWEI = 10n ** 9n;
const POLL_MS = 100;
const carol = formatAddress(createSigner(seededKey('accounts', 'carol')).account);
/** Far more than a withdrawal of EIP-4895 counts. */
const TOO_LARGE = 1n << 70n;
const OTHER_BRIDGE = parseAnyAddress(formatAddress(accountIdFromBytes(new Uint8Array(20).fill(0xb2))));
let made = 0;

/** An EVM chain on its real back end behind its listener, a sequencer in memory, and the withdrawer between both. */
async function network() {
  const chain = await testChain({ genesis: { withdrawer: true } });
  const served = await serveTestChain(chain);
  const directory = `/evm-withdrawers/${made++}`;
  const unmount = new MemoryDisk().mount(directory);
  const clock = manualClock();
  const sequencer = new ModelSequencer(carol);
  sequencer.rollup = rollupIdFromName('test-evm');
  const options = { url: served.url, bridge: parseAddress(TEST_BRIDGE), contract: WITHDRAWER_ADDRESS };
  const ledger = new Ledger(directory);
  const withdrawer = new Withdrawer({
    ...{ source: evmSource({ ...options, links: undefined, fetch: undefined }), account: sequencer, ledger },
    ...{ bridge: TEST_BRIDGE, sequencerChainId: 'sequencer-test', level: 'firm', pollMs: POLL_MS, clock },
    ...{ log: silentLogger, random: () => 0.5, signal: new AbortController().signal },
  });
  const block = async (entries: Parameters<typeof chain.sequence>[0]) => {
    sequencer.mine();
    return chain.sequence(entries);
  };
  return {
    ...{ chain, sequencer, withdrawer, block },
    /** Passes and blocks, some time apart. */
    async passes(count: number) {
      for (let pass = 0; pass < count; pass += 1) {
        await clock.advance(400_000);
        await withdrawer.pass();
        await block([]);
      }
    },
    async close() {
      await served.close();
      await ledger.close();
      unmount();
    },
  };
}

const units = fc.bigInt(1n, 1_000n);
const move = fc.oneof(
  fc.record({ kind: fc.constant('deposit' as const), amount: units }),
  fc.record({ kind: fc.constant('unreadable' as const), amount: units }),
  fc.record({ kind: fc.constant('too large' as const), amount: fc.constant(TOO_LARGE) }),
  fc.record({ kind: fc.constant('other bridge' as const), amount: units }),
  fc.record({ kind: fc.constant('withdrawal' as const), amount: units }),
  fc.record({ kind: fc.constant('forced' as const), amount: units }),
  fc.record({ kind: fc.constant('gift' as const), amount: units }),
  fc.record({ kind: fc.constant('payment' as const), amount: fc.constant(0n) }),
);

// Defect: The sheet of an EVM bridge hid refused deposits and had forced ether as unpaid for ever
test('the sheet of an EVM rollup is what the ledgers of both chains add up to, and no payment exceeds the deposits', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(move, { maxLength: 12 }), async (moves) => {
      const at = await network();
      const { chain, sequencer } = at;
      const account = chain.account(0);
      const sums = { deposit: 0n, refused: 0n, withdrawal: 0n, gift: 0n };
      for (const [sourceAction, { kind, amount }] of moves.entries()) {
        const lock = async (destination: string) => {
          sequencer.balance += amount;
          await at.block([testDeposit(destination, amount, { sourceAction: BigInt(sourceAction) })]);
        };
        if (kind === 'deposit') {
          sums.deposit += amount;
          await lock(account.address);
        } else if (kind === 'unreadable' || kind === 'too large') {
          sums.refused += amount;
          await lock(kind === 'unreadable' ? 'nowhere' : account.address);
        } else if (kind === 'other bridge') {
          await at.block([testDeposit(account.address, amount, { bridge: OTHER_BRIDGE })]);
        } else if (kind === 'withdrawal') {
          sums.withdrawal += amount;
          const data = Buffer.from(withdrawalCall(carol).slice(2), 'hex');
          await at.block([account.call(WITHDRAWER_ADDRESS, data, { value: amount * GWEI })]);
        } else if (kind === 'forced') {
          // PUSH20 address, SELFDESTRUCT: coins get to the contract without a call of it.
          const code = Buffer.from(`73${WITHDRAWER_ADDRESS.slice(2)}ff`, 'hex');
          await at.block([account.deploy(code, { value: amount * GWEI })]);
        } else if (kind === 'gift') {
          sums.gift += amount;
          sequencer.balance += amount;
        } else await at.passes(2);
      }
      await at.passes(8);
      const paid = sequencer.payments.reduce((sum, { amount }) => sum + amount, 0n);
      const { deposit, refused, withdrawal, gift } = sums;
      const least = withdrawal < deposit ? withdrawal : deposit;
      expect(at.withdrawer.sheet).toMatchObject({
        ...{ locked: deposit + refused + gift - paid, minted: deposit - least, unpaid: least - paid },
        ...{ uncovered: withdrawal - least, arriving: 0n, uncredited: refused, surplus: gift, isBalanced: true },
      });
      expect(paid).toBeLessThanOrEqual(least);
      if (withdrawal <= deposit) expect(paid).toBe(withdrawal);
      await at.close();
    }),
    { numRuns: 15 },
  );
}, 60_000);

// Defect: Coins of an EVM genesis were paid out of the bridge account's other funds
test('coins of the genesis wait for deposits, and take nothing that the bridge account holds beside them', async () => {
  const at = await network();
  onTestFinished(() => at.close());
  const withdraw = (index: number, amount: bigint) => {
    const data = Buffer.from(withdrawalCall(carol).slice(2), 'hex');
    return at.chain.account(index).call(WITHDRAWER_ADDRESS, data, { value: amount * GWEI });
  };
  at.sequencer.balance += 1_000n;
  await at.block([withdraw(0, 500n)]);
  await at.passes(3);
  expect(at.sequencer.payments).toEqual([]);
  expect(at.withdrawer).toMatchObject({ held: 1, sheet: { uncovered: 500n, unpaid: 0n, isBalanced: true } });
  at.sequencer.balance += 300n;
  await at.block([testDeposit(at.chain.account(1).address, 300n)]);
  await at.block([withdraw(1, 300n)]);
  await at.passes(4);
  expect(at.sequencer.payments.map(({ amount }) => amount)).toEqual([300n]);
}, 60_000);
