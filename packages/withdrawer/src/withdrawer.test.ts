import { createSigner, formatAddress, rollupIdFromName } from '@switchyard/protocol';
import { silentLogger } from '@switchyard/service';
import { manualClock, seededKey } from '@switchyard/service/testing';
import { MemoryDisk } from '@switchyard/storage';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { Ledger } from './ledger.ts';
import { ModelRollup, ModelSequencer } from './testing/model-chains.ts';
import { Withdrawer } from './withdrawer.ts';

const getAddress = (name: string) => formatAddress(createSigner(seededKey('accounts', name)).account, 'astria');
const bridge = getAddress('bridge');
const [bob, carol] = [getAddress('bob'), getAddress('carol')];
const POLL_MS = 100;

let made = 0;

/** A withdrawer between two chains in memory. */
function started({ onCommit = () => undefined }: { readonly onCommit?: (disk: MemoryDisk) => void } = {}) {
  const directory = `/withdrawers/${made++}`;
  const disk: MemoryDisk = new MemoryDisk({ onCommit: () => onCommit(disk) });
  onTestFinished(disk.mount(directory));
  const clock = manualClock();
  const sequencer = new ModelSequencer(getAddress('withdrawer'));
  const rollup = new ModelRollup(sequencer);
  const open = () => {
    const ledger = new Ledger(directory);
    const withdrawer = new Withdrawer({
      ...{ source: rollup, account: sequencer, ledger, bridge, sequencerChainId: 'chain-0', level: 'firm' },
      ...{ pollMs: POLL_MS, clock, log: silentLogger, random: () => 0.5, signal: new AbortController().signal },
    });
    return { ledger, withdrawer };
  };
  let now = open();
  return {
    ...{ sequencer, rollup, clock, disk },
    get ledger() {
      return now.ledger;
    },
    get withdrawer() {
      return now.withdrawer;
    },
    /** One pass, some time later. */
    async pass(ms = 3_000) {
      await clock.advance(ms);
      return now.withdrawer.pass();
    },
    /** Passes and blocks until only held withdrawals are open. */
    async drain(passes = 60) {
      for (let pass = 0; pass < passes; pass += 1) {
        await clock.advance(3_000);
        await now.withdrawer.pass();
        sequencer.mine();
      }
    },
    /** Starts again after `kill -9`: only disk and chains are left. */
    again() {
      disk.kill(directory);
      now = open();
    },
  };
}
type Started = ReturnType<typeof started>;

const paidIds = ({ sequencer }: Started) => sequencer.payments.map(({ eventId }) => eventId).sort();
const getHeld = ({ ledger, withdrawer }: Started) =>
  [...ledger.open.values()].map((each) => [each.eventId, withdrawer.findReason(each)]);

test('pays in one transaction what it has read, and signs nothing else until that is in a block', async () => {
  const at = started();
  at.rollup.deposit(1_000n);
  for (let index = 0; index < 3; index += 1) at.rollup.withdraw(bob, 10n);
  await at.pass();
  const { bundle } = at.ledger;
  expect(bundle?.numbers).toEqual([0, 1, 2]);
  at.rollup.withdraw(carol, 5n);
  await at.pass();
  expect(at.ledger.bundle).toEqual(bundle);
  at.sequencer.mine();
  await at.pass();
  expect(at.ledger.newestPaid(10).map(({ height }) => height)).toEqual([2n, 2n, 2n]);
  expect(at.ledger.bundle?.numbers).toEqual([3]);
  await at.drain(2);
  expect(paidIds(at)).toEqual(['e1', 'e2', 'e3', 'e4']);
});

test('one that cannot be paid is held with its reason, and holds up no other', async () => {
  const at = started();
  at.rollup.deposit(1_000n);
  at.rollup.withdraw('nowhere', 10n);
  at.rollup.withdraw(formatAddress(createSigner(seededKey('accounts', 'bob')).account, 'other'), 10n);
  at.rollup.withdraw(bob, 10n, { fault: 'a fraction of a unit' });
  at.rollup.withdraw(carol, 10n);
  await at.drain(3);
  expect(paidIds(at)).toEqual(['e4']);
  expect(getHeld(at)).toEqual([
    ['e1', expect.stringContaining('the destination is no address')],
    ['e2', expect.stringContaining('prefix astria')],
    ['e3', 'a fraction of a unit'],
  ]);
  expect(at.withdrawer.held).toBe(3);
});

test('a refused transaction is split: what was at fault is held and tried again, the others are paid', async () => {
  const at = started();
  at.rollup.deposit(1_000n);
  at.sequencer.refused.add(carol);
  for (const to of [bob, carol, bob]) at.rollup.withdraw(to, 10n);
  await at.drain(10);
  expect(paidIds(at)).toEqual(['e1', 'e3']);
  expect(getHeld(at)).toEqual([['e2', 'the destination is refused']]);
  at.sequencer.refused.clear();
  at.rollup.withdraw(bob, 1n);
  await at.drain(200);
  expect(paidIds(at)).toEqual(['e1', 'e2', 'e3', 'e4']);
});

test('tries of what is refused become rarer', async () => {
  const at = started();
  at.rollup.deposit(1_000n);
  at.sequencer.refused.add(carol);
  at.rollup.withdraw(carol, 10n);
  await at.drain(200);
  const early = at.sequencer.broadcasts;
  await at.drain(200);
  expect(early).toBeGreaterThan(3);
  expect(at.sequencer.broadcasts - early).toBeLessThan(early);
});

test('withdrawals that another program paid are found, and the rest of their transaction is paid', async () => {
  const at = started();
  at.rollup.deposit(1_000n);
  const withdrawals = [bob, carol, bob].map((to) => at.rollup.withdraw(to, 10n));
  if (withdrawals[1] !== undefined) at.sequencer.payElsewhere(withdrawals[1]);
  await at.drain(4);
  expect(paidIds(at)).toEqual(['e1', 'e2', 'e3']);
  expect(at.ledger.find('e2')?.paid).toMatchObject({ number: 1 });
  expect(at.ledger.find('e2')?.paid?.transaction).toBeUndefined();
});

test('a sequencer that does not answer what is paid gets each by itself, and pays none twice', async () => {
  const at = started();
  at.rollup.deposit(1_000n);
  at.sequencer.hasQuery = false;
  const withdrawals = [bob, carol, bob].map((to) => at.rollup.withdraw(to, 10n));
  if (withdrawals[1] !== undefined) at.sequencer.payElsewhere(withdrawals[1]);
  await at.drain(10);
  expect(paidIds(at)).toEqual(['e1', 'e2', 'e3']);
  expect(getHeld(at)).toEqual([['e2', 'withdrawal event e2 was already executed']]);
});

test('a transaction whose nonce another one used is signed again', async () => {
  const at = started();
  at.rollup.deposit(1_000n);
  at.rollup.withdraw(bob, 10n);
  await at.pass();
  const { bundle } = at.ledger;
  at.sequencer.spendNonce();
  await at.pass();
  expect(at.ledger.bundle).toMatchObject({ nonce: 1, numbers: [0] });
  expect(at.ledger.bundle?.hash).not.toBe(bundle?.hash);
  await at.drain(2);
  expect(paidIds(at)).toEqual(['e1']);
});

test('bytes that a node forgot are sent again, the same', async () => {
  const at = started();
  at.rollup.deposit(1_000n);
  at.rollup.withdraw(bob, 10n);
  await at.pass();
  const { bundle } = at.ledger;
  at.sequencer.lose();
  await at.pass();
  expect(at.ledger.bundle).toEqual(bundle);
  expect(at.sequencer.broadcasts).toBe(2);
  await at.drain(2);
  expect(paidIds(at)).toEqual(['e1']);
});

test('a bridge account that holds too little holds up only what it cannot pay', async () => {
  const at = started();
  at.rollup.deposit(67n);
  at.sequencer.balance = 10n;
  at.rollup.withdraw(bob, 50n);
  at.rollup.withdraw(carol, 4n);
  at.rollup.withdraw(carol, 7n);
  at.rollup.withdraw(bob, 6n);
  await at.drain(6);
  expect(paidIds(at)).toEqual(['e2', 'e4']);
  const reason = 'the bridge account holds less than this, after earlier payments';
  expect(getHeld(at)).toEqual([
    ['e1', reason],
    ['e3', reason],
  ]);
  expect(at.withdrawer.sheet).toMatchObject({ isBalanced: false, unpaid: 57n, minted: 0n, surplus: -57n });
  at.sequencer.balance += 57n;
  await at.drain(200);
  expect(paidIds(at)).toEqual(['e1', 'e2', 'e3', 'e4']);
  expect(at.withdrawer.sheet).toMatchObject({ isBalanced: true, unpaid: 0n, minted: 0n, locked: 0n });
});

test('a sheet shows what is missing', async () => {
  const at = started();
  at.rollup.deposit(100n);
  at.rollup.withdraw(bob, 30n);
  await at.drain(4);
  expect(at.withdrawer.sheet).toMatchObject({ locked: 70n, minted: 70n, unpaid: 0n, surplus: 0n, isBalanced: true });
  at.sequencer.balance -= 1n;
  await at.drain(1);
  expect(at.withdrawer.sheet).toMatchObject({ surplus: -1n, isBalanced: false });
});

// Defect: A bridge account of another rollup or asset was reported as balanced
test('an account of another rollup or asset is reported for as long as it is one, and nothing is paid', async () => {
  const at = started();
  at.rollup.deposit(100n);
  at.rollup.withdraw(bob, 30n);
  at.sequencer.rollup = rollupIdFromName('another');
  await expect(at.pass()).rejects.toThrow('do not reach the rollup rollup');
  await expect(at.pass()).rejects.toThrow(`of the rollup id ${rollupIdFromName('another')}, expected`);
  at.sequencer.rollup = rollupIdFromName('rollup');
  at.sequencer.bridgeAsset = 'utia';
  await at.clock.advance(60_000);
  await expect(at.pass()).rejects.toThrow('takes no deposits of utia');
  expect(paidIds(at)).toEqual([]);
  at.sequencer.bridgeAsset = 'nria';
  await at.clock.advance(60_000);
  await at.drain(3);
  expect(paidIds(at)).toEqual(['e1']);
});

test('nothing is read and paid while the account is no bridge account, or the ledger is of another one', async () => {
  const at = started();
  at.rollup.deposit(100n);
  at.rollup.withdraw(bob, 30n);
  at.sequencer.bridgeAsset = undefined;
  await at.drain(2);
  expect([at.ledger.read.count, at.sequencer.broadcasts]).toEqual([0, 0]);
  at.sequencer.bridgeAsset = 'nria';
  await at.pass();
  at.again();
  at.rollup.name = 'other';
  await expect(at.pass()).rejects.toThrow('the ledger is of rollup rollup');
  at.rollup.name = 'rollup';
  await at.drain(2);
  expect(paidIds(at)).toEqual(['e1']);
});

test('the loop waits, repeats what failed, reports why nothing is paid, and ends', async () => {
  const { rollup, sequencer, clock, ledger } = started();
  const stop = new AbortController();
  const withdrawer = new Withdrawer({
    ...{ source: rollup, account: sequencer, ledger, bridge, sequencerChainId: 'chain-0', level: 'soft' },
    ...{ pollMs: POLL_MS, clock, log: silentLogger, random: () => 0.5, signal: stop.signal },
  });
  rollup.deposit(100n);
  rollup.withdraw(bob, 30n);
  rollup.faults.push(new Error('no answer'), new Error('no answer'));
  const running = withdrawer.run();
  await clock.advance(0);
  expect(withdrawer.trouble).toBe('no answer');
  for (let step = 0; step < 40; step += 1) {
    await clock.advance(POLL_MS);
    sequencer.mine();
  }
  expect(withdrawer.trouble).toBeUndefined();
  expect(sequencer.payments).toEqual([{ eventId: 'e1', amount: 30n }]);
  stop.abort();
  await running;
});

test('ended after any of its writes it pays each withdrawal once', async () => {
  for (let last = 1; last <= 7; last += 1) {
    let left = Number.POSITIVE_INFINITY;
    let end: (() => void) | undefined;
    const ended = new Promise<'ended'>((resolve) => {
      end = () => resolve('ended');
    });
    const at = started({
      onCommit: (disk) => {
        left -= 1;
        if (left !== 0) return;
        disk.kill('/');
        end?.();
      },
    });
    at.rollup.deposit(1_000n);
    for (const to of [bob, 'nowhere', carol, bob, bob]) at.rollup.withdraw(to, 10n);
    left = last;
    // Calls to the disk of an ended process do not settle.
    const work = at.drain(8).then(
      () => 'done',
      () => 'ended',
    );
    expect([last, await Promise.race([work, ended])]).toEqual([last, 'ended']);
    at.again();
    await at.drain(8);
    expect(paidIds(at)).toEqual(['e1', 'e3', 'e4', 'e5']);
    expect(at.ledger.paid).toEqual({ count: 4, sum: 40n });
  }
});

type Step = 'withdraw' | 'bad' | 'pass' | 'mine' | 'lose' | 'kill' | 'spend' | 'elsewhere' | 'fault' | 'refuse';
const steps = fc.array(
  fc.constantFrom<Step>(
    ...(['withdraw', 'withdraw', 'bad', 'pass', 'pass', 'pass', 'mine', 'mine', 'lose', 'kill'] as const),
    ...(['spend', 'elsewhere', 'fault', 'refuse'] as const),
  ),
  { maxLength: 60 },
);

test('whatever happens, each withdrawal is paid once, and all that can be are', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const at = started();
      at.rollup.deposit(1_000_000n);
      const { sequencer, rollup } = at;
      const run: Readonly<Record<Step, () => unknown>> = {
        withdraw: () => rollup.withdraw(bob, BigInt(rollup.withdrawals.length + 1)),
        bad: () => rollup.withdraw('nowhere', 7n),
        pass: () => at.pass().catch((error: Error) => expect(error.message).toBe('no answer')),
        mine: () => sequencer.mine(),
        lose: () => sequencer.lose(),
        kill: () => at.again(),
        spend: () => sequencer.spendNonce(),
        elsewhere: () => rollup.withdrawals[1]?.to === bob && sequencer.payElsewhere(rollup.withdrawals[1]),
        fault: () => (all.length % 2 === 0 ? sequencer : rollup).faults.push(new Error('no answer')),
        refuse: () => (sequencer.refused.has(bob) ? sequencer.refused.clear() : sequencer.refused.add(bob)),
      };
      for (const step of all) await run[step]();
      sequencer.refused.clear();
      for (const { faults } of [sequencer, rollup]) faults.length = 0;
      await at.drain(250);
      const payable = rollup.withdrawals.filter(({ to }) => to === bob).map(({ eventId }) => eventId);
      expect(paidIds(at)).toEqual(payable.sort());
      expect([at.ledger.read.count, at.ledger.open.size]).toEqual([
        rollup.withdrawals.length,
        rollup.withdrawals.length - payable.length,
      ]);
      expect(at.withdrawer.sheet).toMatchObject({ isBalanced: true });
    }),
    { numRuns: 40 },
  );
}, 60_000);
