import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { readyPrecompiles } from '../precompiles/contract.ts';
import { MAX_BALANCE } from '../state/account.ts';
import { StateOverlay } from '../state/overlay.ts';
import { ALICE, BOB, COINBASE, stateWith } from '../testing.ts';
import type { Address } from '../types.ts';
import { execute } from './execute.ts';
import { CALLED, programs } from './testing/programs.suite.ts';
import type { Message } from './values.ts';

const BLOCK = {
  ...{ number: 1n, timestamp: 1n, gasLimit: 30_000_000n, coinbase: COINBASE, difficulty: 0n, baseFeePerGas: 1n },
  ...{ prevRandao: `0x${'00'.repeat(32)}` as const, blobBaseFee: 1n },
};
const MESSAGE = { nonce: 0n, gasLimit: 400_000n, data: new Uint8Array(32), accessList: [] };

beforeAll(readyPrecompiles);

type Balances = Readonly<Record<Address, bigint>>;

function run(balances: Balances, message: Pick<Message, 'from' | 'to' | 'value' | 'gasPrice'>, codes = CALLED) {
  const accounts = Object.entries(balances).map(([address, balance]) => [address, { balance }] as const);
  const state = new StateOverlay(stateWith(Object.fromEntries(accounts)));
  for (const [address, { code }] of Object.entries(codes)) {
    const { balance = 0n } = state.account(address as Address) ?? {};
    const codeHash = state.putCode(Buffer.from(code.slice(2), 'hex'));
    state.putAccount(address as Address, { ...NEW, balance, codeHash });
  }
  const options = { fork: 'osaka' as const, chainId: 1n, state, block: BLOCK, blockHash: () => undefined };
  const outcome = execute(options, { ...MESSAGE, ...message }).run();
  return { outcome, balanceOf: (address: Address) => state.account(address)?.balance ?? 0n, state };
}

const NEW = { nonce: 1n, storageRoot: stateWith({ [ALICE]: { balance: 1n } }).account(ALICE)?.storageRoot ?? '0x' };

test('a transfer to who cannot hold it fails like one that cannot be paid, and costs its gas', () => {
  const sent = run({ [ALICE]: 1_000_000n, [BOB]: MAX_BALANCE }, { from: ALICE, to: BOB, value: 1n, gasPrice: 1n });
  expect(sent.outcome?.failure?.text).toBe('balance uint256 overflow');
  expect([sent.balanceOf(ALICE), sent.balanceOf(BOB)]).toEqual([978_680n, MAX_BALANCE]);
  const own = run({ [ALICE]: MAX_BALANCE }, { from: ALICE, to: ALICE, value: MAX_BALANCE - 400_000n, gasPrice: 1n });
  expect([own.outcome?.failure, own.balanceOf(ALICE)]).toEqual([undefined, MAX_BALANCE - 21_320n]);
});

test('what a coinbase cannot hold of its fees is lost', () => {
  const { balanceOf } = run(
    { [ALICE]: 10_000_000n, [COINBASE]: MAX_BALANCE - 5n },
    { from: ALICE, to: BOB, value: 0n, gasPrice: 2n },
  );
  expect(balanceOf(COINBASE)).toBe(MAX_BALANCE);
});

// Defect: EVM balance beyond 2^256, by execution: JSON-RPC and contracts showed different values
test('no program brings a balance beyond 256 bits, or makes wei, whatever accounts have', () => {
  const balance = fc.oneof(
    fc.bigInt({ min: 0n, max: 9n }),
    fc.bigInt({ min: MAX_BALANCE - 9n, max: MAX_BALANCE }),
    fc.bigInt({ min: 0n, max: MAX_BALANCE }),
  );
  const places = [BOB, COINBASE, ...(Object.keys(CALLED) as Address[])];
  const rich = fc.bigInt({ min: MAX_BALANCE - 10n ** 6n, max: MAX_BALANCE });
  const amounts = fc.tuple(rich, ...places.map(() => balance));
  fc.assert(
    fc.property(programs, amounts, fc.bigInt({ min: 0n, max: 20n }), (code, [sender, ...others], value) => {
      const balances = { [ALICE]: sender, ...Object.fromEntries(places.map((place, at) => [place, others[at] ?? 0n])) };
      const codes = { ...CALLED, [BOB]: { code, balance: 0n } };
      const { state } = run(balances, { from: ALICE, to: BOB, value, gasPrice: 3n }, codes);
      const after = [...state.accounts.values()].map((account) => account?.balance ?? 0n);
      expect(after.every((each) => each >= 0n && each <= MAX_BALANCE)).toBe(true);
      const total = (all: readonly bigint[]) => all.reduce((sum, each) => sum + each, 0n);
      expect(total(after)).toBeLessThanOrEqual(total(Object.values(balances)));
    }),
    { numRuns: 500 },
  );
});
