import { addressOfKey, bytesToHex, hexToBytes, toWord } from '@switchyard/protocol/ethereum';
import { beforeAll, describe, expect, test } from 'vitest';
import { readyPrecompiles } from '../precompiles/contract.ts';
import { signAuthorization } from '../testing/sign-authorization.ts';
import { ALICE, BOB, code, ENVIRONMENT, KEY, makeMessage, stateWith } from '../testing.ts';
import type { Address, Data } from '../types.ts';
import { execute } from './execute.ts';
import { createdAddress } from './instructions/contracts.ts';
import { MAX_GAS } from './limits.ts';

beforeAll(readyPrecompiles);

const CAROL: Address = `0x${'c3'.repeat(20)}`;
const STOPS: Address = `0x${'d4'.repeat(20)}`;
const TO_STOPS: Data = `0xef0100${STOPS.slice(2)}`;
/** EIP-8037: gas for a new account, a new slot, and the code of a delegation. */
const ACCOUNT = 183_600;
const SLOT = 97_920;
const DELEGATION = 35_190;

type Accounts = Parameters<typeof stateWith>[0];
type Call = Parameters<typeof makeMessage>[0];

function run(accounts: Accounts, message: Call) {
  const state = stateWith({ [ALICE]: { balance: 10n ** 18n }, [STOPS]: { code: '0x00' }, ...accounts });
  const options = { fork: 'amsterdam', chainId: 1n, state, block: ENVIRONMENT, blockHash: () => undefined } as const;
  const outcome = execute(options, makeMessage({ gasLimit: 500_000n, ...message })).run();
  if (outcome === undefined) throw new Error('nothing interrupts it');
  return { ...outcome, state };
}

/** Gas that the sender pays for, and that a block counts. */
function computeGas({ gasUsed, blockGas, failure }: ReturnType<typeof run>) {
  return [...[gasUsed, blockGas.execution, blockGas.state].map(Number), failure?.kind];
}

const bob = { [BOB]: { balance: 1n } };
const calls = (runtime: Data) => ({ [BOB]: { code: runtime } });
const created = createdAddress(ALICE, 0n);

/** Expected: gas that is paid for, gas of both kinds that a block counts, failure. */
type Case = [string, Accounts, Call, (number | string | undefined)[]];

describe('EIP-2780: a transaction costs what it touches', () => {
  const value = 1n;
  test.each<Case>([
    ['to its sender', {}, { to: ALICE, value }, [12_000, 12_000, 0, undefined]],
    ['of nothing, to an account', bob, {}, [15_000, 15_000, 0, undefined]],
    ['of nothing, to an address without account', {}, {}, [15_000, 15_000, 0, undefined]],
    ['of value, to an account', bob, { value }, [21_000, 21_000, 0, undefined]],
    ['of value, to an address without account', {}, { value }, [21_000 + ACCOUNT, 21_000, ACCOUNT, undefined]],
    [
      'of value, to an address without account, a unit short',
      {},
      { value, gasLimit: 21_000n + BigInt(ACCOUNT) - 1n },
      [21_000 + ACCOUNT - 1, 21_000 + ACCOUNT - 1, 0, 'out of gas'],
    ],
    ['to a delegated account', calls(TO_STOPS), {}, [18_000, 18_000, 0, undefined]],
    ['of value, to a delegated account', calls(TO_STOPS), { value }, [24_000, 24_000, 0, undefined]],
    [
      'to a delegated account whose target is listed',
      calls(TO_STOPS),
      { accessList: [{ address: STOPS, storageKeys: [] }] },
      // 2,900 for the address and 64 for each of its bytes.
      [15_100 + 4_180, 15_100 + 4_180, 0, undefined],
    ],
    [
      'to itself, delegated',
      { [ALICE]: { balance: 10n ** 18n, code: TO_STOPS } },
      { to: ALICE },
      [15_000, 15_000, 0, undefined],
    ],
    ['that cannot pay for the delegation', calls(TO_STOPS), { gasLimit: 17_999n }, [17_999, 17_999, 0, 'out of gas']],
    ['that creates', {}, { to: undefined }, [24_000 + ACCOUNT, 24_000, ACCOUNT, undefined]],
    ['that creates with value', {}, { to: undefined, value }, [24_000 + ACCOUNT, 24_000, ACCOUNT, undefined]],
    ['that creates where coins are', { [created]: { balance: 1n } }, { to: undefined }, [24_000, 24_000, 0, undefined]],
    [
      'that creates and reverts',
      {},
      { to: undefined, data: hexToBytes('0x5f5ffd') },
      // The floor of three bytes is more than it needs.
      [24_000 + 3 * 64, 24_000 + 3 * 64, 0, 'revert'],
    ],
    ['that creates and fails', {}, { to: undefined, data: hexToBytes('0xfe') }, [500_000, 500_000, 0, 'other']],
    [
      'that creates where a contract is',
      { [created]: { nonce: 1n } },
      { to: undefined },
      [500_000, 500_000, 0, 'other'],
    ],
  ])('%s', (_, accounts, message, expected) => {
    expect(computeGas(run(accounts, message))).toEqual(expected);
  });

  test('what cannot be paid before the first instruction leaves nothing behind but the nonce', () => {
    const { state, logs } = run({}, { value: 1n, gasLimit: 21_000n });
    expect([state.account(BOB), state.account(ALICE)?.nonce, logs]).toEqual([undefined, 1n, []]);
  });
});

describe('EIP-2780: authorizations cost what they change', () => {
  const authority = addressOfKey(hexToBytes(KEY));
  const signed = (address: Address, nonce: bigint) => signAuthorization({ chainId: 1n, address, nonce }, KEY);
  const zero: Address = `0x${'00'.repeat(20)}`;
  const known = { [authority]: { balance: 1n }, ...bob };
  const base = 15_000 + 7_816;
  test.each<Case>([
    ['of an account', known, { authorizations: [signed(STOPS, 0n)] }, [base + 9_000, DELEGATION]],
    [
      'of an address without account',
      bob,
      { authorizations: [signed(STOPS, 0n)] },
      [base + 9_000, ACCOUNT + DELEGATION],
    ],
    ['that changes nothing', known, { authorizations: [signed(zero, 0n)] }, [base + 9_000, 0]],
    ['of another nonce', known, { authorizations: [signed(STOPS, 5n)] }, [base, 0]],
    [
      'twice by one account',
      known,
      { authorizations: [signed(STOPS, 0n), signed(BOB, 1n)] },
      [base + 7_816 + 9_000, DELEGATION],
    ],
    [
      'set, cleared and set',
      known,
      { authorizations: [signed(STOPS, 0n), signed(zero, 1n), signed(BOB, 2n)] },
      [base + 2 * 7_816 + 9_000, DELEGATION],
    ],
    [
      'that was delegated before',
      { [authority]: { code: TO_STOPS }, ...bob },
      { authorizations: [signed(BOB, 0n)] },
      [base + 9_000, 0],
    ],
    [
      'of the recipient of value, which is paid for',
      known,
      { to: authority, value: 1n, authorizations: [signed(STOPS, 0n)] },
      [21_000 + 7_816 + 3_000, DELEGATION],
    ],
    [
      'of the recipient of nothing',
      known,
      { to: authority, authorizations: [signed(STOPS, 0n)] },
      [base + 9_000 + 3_000, DELEGATION],
    ],
  ])('%s', (_, accounts, message, [execution = 0, state = 0]) => {
    expect(computeGas(run(accounts, message))).toEqual([
      Number(execution) + Number(state),
      execution,
      state,
      undefined,
    ]);
  });

  test('one that cannot be paid undoes those before it', () => {
    const message = { authorizations: [signed(STOPS, 0n)], gasLimit: BigInt(base + 9_000 + DELEGATION - 1) };
    const { state, ...outcome } = run(known, message);
    expect(outcome.failure?.kind).toBe('out of gas');
    expect(state.account(authority)).toMatchObject({ nonce: 0n, balance: 1n });
  });

  test('what was paid for them stays paid when the code fails', () => {
    const outcome = run({ ...known, ...calls('0xfe') }, { authorizations: [signed(STOPS, 0n)] });
    expect(computeGas(outcome)).toEqual([500_000, 500_000 - DELEGATION, DELEGATION, 'other']);
    expect(outcome.state.account(authority)?.nonce).toBe(1n);
  });
});

describe('EIP-8037 and EIP-8038: state is paid for apart', () => {
  const set = code(1, 0, 'sstore');
  /** With two instructions for operands, a cold slot and a write. */
  const setGas = 6 + 2_100 + 10_000;
  const reset = { raw: code(0, 0, 'sstore') };
  test.each<Case>([
    ['a new slot', calls(set), {}, [15_000 + setGas + SLOT, 15_000 + setGas, SLOT, undefined]],
    [
      'a slot that is set and cleared',
      calls(code({ raw: set }, reset)),
      {},
      // A fifth of the gas comes back, which makes no room in the block (EIP-7778).
      [27_212 - Math.floor(27_212 / 5), 27_212, 0, undefined],
    ],
    [
      'a slot that the reservoir pays for',
      calls(set),
      { gasLimit: BigInt(MAX_GAS + SLOT) },
      [15_000 + setGas + SLOT, 15_000 + setGas, SLOT, undefined],
    ],
    ['a slot that is not paid for', calls(set), { gasLimit: 100_000n }, [100_000, 100_000, 0, 'out of gas']],
    [
      'a slot whose frame reverts',
      calls(code({ raw: set }, 0, 0, 'revert')),
      {},
      [15_000 + setGas + 6, 15_000 + setGas + 6, 0, 'revert'],
    ],
    [
      'a failure takes all gas but the reservoir',
      calls(code({ raw: set }, 'invalid')),
      { gasLimit: BigInt(MAX_GAS + SLOT) },
      [MAX_GAS, MAX_GAS, 0, 'other'],
    ],
    [
      'as much gas as a block never has',
      calls(set),
      { gasLimit: 40_000_000n, isUnbounded: true },
      [15_000 + setGas + SLOT, 15_000 + setGas, SLOT, undefined],
    ],
    [
      'code size is a second look',
      calls(code(ALICE, 'extcodesize')),
      {},
      [15_000 + 3 + 200, 15_000 + 3 + 200, 0, undefined],
    ],
  ])('%s', (_, accounts, message, expected) => {
    expect(computeGas(run(accounts, message))).toEqual(expected);
  });

  const pay = (to: Address) => code(0, 0, 0, 0, 1, to, 'gas', 'call', 'pop');
  test.each<Case>([
    // Seven operands, one of which is the gas, POP, a cold account, value.
    ['to an address without account', { [BOB]: { code: pay(CAROL), balance: 5n } }, {}, [ACCOUNT]],
    ['to an address without account, without the coins', { [BOB]: { code: pay(CAROL) } }, {}, [0]],
    ['to an account', { [BOB]: { code: pay(CAROL), balance: 5n }, [CAROL]: { nonce: 1n } }, {}, [0]],
    ['to a contract that fails', { [BOB]: { code: pay(CAROL), balance: 5n }, [CAROL]: { code: '0xfe' } }, {}, [0]],
    [
      'by SELFDESTRUCT to an address without account',
      { [BOB]: { code: code(CAROL, 'selfdestruct'), balance: 5n } },
      {},
      [ACCOUNT],
    ],
    ['by SELFDESTRUCT of nothing', { [BOB]: { code: code(CAROL, 'selfdestruct') } }, {}, [0]],
    ['by a creation', { [BOB]: { code: code(0, 0, 5, 'create'), balance: 5n } }, {}, [ACCOUNT]],
    ['by a creation that lacks the coins', { [BOB]: { code: code(0, 0, 5, 'create') } }, {}, [0]],
  ])('a call with value: %s', (_, accounts, message, [state]) => {
    const outcome = run(accounts, message);
    expect(Number(outcome.blockGas.state)).toBe(state);
    expect(outcome.gasUsed).toBe(outcome.blockGas.execution + outcome.blockGas.state);
  });

  test('the call of SELFDESTRUCT to an address without account is paid for as a write, too', () => {
    const outcome = run({ [BOB]: { code: code(CAROL, 'selfdestruct'), balance: 5n } }, {});
    expect(computeGas(outcome)).toEqual([15_000 + 3 + 5_000 + 3_000 + 9_000 + ACCOUNT, 32_003, ACCOUNT, undefined]);
  });

  test('gas that a frame paid for state is given back to it first', () => {
    // Sets a slot, then has another clear it: all that is left comes back to the own gas, as GAS shows.
    const clears = code(0, 0, 'sstore');
    const asks = code(1, 0, 'sstore', 0, 0, 0, 0, CAROL, 'gas', 'delegatecall', 'gas', 1, 'sstore');
    const plain = run({ [BOB]: { code: asks }, [CAROL]: { code: clears } }, {});
    expect(Number(plain.blockGas.state)).toBe(SLOT);
    // The gas that GAS answered, which was kept: of 500,000, less all of both calls but the slots.
    const kept = plain.state.storage(BOB, toWord(1n));
    const spentBefore = 500_000n - kept;
    expect(spentBefore).toBe(15_000n + BigInt(setGas) + 15n + 2n + 3_000n + 6n + 100n + 2n);
  });
});

test('a tracer gets the costs that go-ethereum 1.17.8 shows: gas for state is no part of them', () => {
  const state = stateWith({
    [ALICE]: { balance: 10n ** 18n },
    // Sets a slot, clears it, sets it again; calls a missing account with a wei; creates.
    [BOB]: { code: '0x60015f555f5f5560015f555f5f5f5f600161c3c35af1505f5f5ff050', balance: 9n, nonce: 1n },
  });
  const costs: number[] = [];
  const hooks = { stepped: (cost: number) => void costs.push(cost) };
  const options = { fork: 'amsterdam', chainId: 1n, state, block: ENVIRONMENT, blockHash: () => undefined } as const;
  const { gasUsed } = execute({ ...options, hooks }, makeMessage({ gasLimit: 1_000_000n })).run();
  expect(costs).toEqual([
    ...[3, 2, 12_100, 2, 2, 100, 3, 2, 10_100],
    ...[2, 2, 2, 2, 3, 3, 2, 670_731, 2, 2, 2, 2, 12_000, 2, 0],
  ]);
  // Less the refund of the cleared slot.
  expect(gasUsed).toBe(1_000_000n - 473_540n - 10_000n);
});

describe('EIP-7976 and EIP-7981: data has a floor', () => {
  const list = [{ address: BOB, storageKeys: [toWord(1n), toWord(2n)] }];
  test.each<Case>([
    ['of data', bob, { data: new Uint8Array(100) }, [15_000 + 6_400, 15_000 + 6_400, 0, undefined]],
    // 2,900 and twice 2,000, and 64 for each of 84 bytes.
    ['of a list', bob, { accessList: list }, [15_000 + 6_900 + 5_376, 15_000 + 6_900 + 5_376, 0, undefined]],
    [
      'of both',
      bob,
      { data: new Uint8Array(1_000), accessList: list },
      [15_000 + 64_000 + 5_376, 15_000 + 64_000 + 5_376, 0, undefined],
    ],
    [
      'beside state, which does not fill it up',
      calls(code(1, 0, 'sstore')),
      { data: new Uint8Array(1_000) },
      [15_000 + 4_000 + 12_106 + SLOT, 15_000 + 64_000, SLOT, undefined],
    ],
  ])('%s', (_, accounts, message, expected) => {
    expect(computeGas(run(accounts, message))).toEqual(expected);
  });
});

describe('EIP-7708: transfers are logs', () => {
  const topic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
  const log = (from: Address, to: Address, value: bigint) => ({
    address: '0xfffffffffffffffffffffffffffffffffffffffe',
    topics: [topic, toWord(BigInt(from)), toWord(BigInt(to))],
    data: toWord(value),
  });
  const pays = (kind: string) => code(0, 0, 0, 0, 2, CAROL, 50_000, kind);
  const funded = (runtime: Data) => ({ [BOB]: { code: runtime, balance: 9n }, [CAROL]: { nonce: 1n } });
  test.each<[string, Accounts, Call, readonly object[]]>([
    ['a transaction', bob, { value: 3n }, [log(ALICE, BOB, 3n)]],
    ['a transaction of nothing', bob, {}, []],
    ['a transaction to its sender', {}, { to: ALICE, value: 3n }, []],
    ['a transaction that creates', {}, { to: undefined, value: 3n }, [log(ALICE, created, 3n)]],
    ['CALL', funded(pays('call')), { value: 1n }, [log(ALICE, BOB, 1n), log(BOB, CAROL, 2n)]],
    ['CALLCODE', funded(pays('callcode')), {}, []],
    ['CALL to a contract that reverts', { ...funded(pays('call')), [CAROL]: { code: '0x5f5ffd' } }, {}, []],
    ['CALL to a precompiled contract that fails', funded(code(0, 0, 0, 0, 2, 8, 10, 'call')), {}, []],
    ['SELFDESTRUCT', funded(code(CAROL, 'selfdestruct')), {}, [log(BOB, CAROL, 9n)]],
    ['SELFDESTRUCT to itself', funded(code(BOB, 'selfdestruct')), {}, []],
    ['CREATE', funded(code(0, 0, 4, 'create')), {}, [log(BOB, createdAddress(BOB, 0n), 4n)]],
    ['CREATE that reverts', funded(code(0x5f5ffd, 0, 'mstore', 3, 29, 4, 'create')), {}, []],
  ])('%s', (_, accounts, message, expected) => {
    const { logs, failure } = run(accounts, message);
    expect(failure).toBeUndefined();
    expect(logs.map(({ data, ...rest }) => ({ ...rest, data: bytesToHex(data) }))).toEqual(expected);
  });
});

describe('EIP-8246: what is destroyed keeps its coins', () => {
  test.each<[string, Data, bigint | undefined]>([
    ['itself as heir', '0x30ff', 7n],
    ['another as heir', code(STOPS, 'selfdestruct'), undefined],
  ])('with %s', (_, init, left) => {
    const { state } = run({}, { to: undefined, value: 7n, data: hexToBytes(init) });
    const account = state.account(created);
    expect(account?.balance).toBe(left);
    if (left !== undefined) expect([account?.nonce, state.code(account?.codeHash ?? '0x').length]).toEqual([0n, 0]);
  });
});

describe('EIP-7954: contracts of 64 kB', () => {
  test.each<[string, number, string | undefined]>([
    ['as large as they may be', 65_536, undefined],
    ['a byte larger', 65_537, 'max code size exceeded'],
  ])('%s', (_, bytes, failure) => {
    const outcome = run({}, { to: undefined, gasLimit: 200_000_000n, data: hexToBytes(code(bytes, 0, 'return')) });
    expect(outcome.failure?.text).toBe(failure);
    expect(Number(outcome.blockGas.state)).toBe(failure === undefined ? ACCOUNT + 1_530 * 65_536 : 0);
  });

  test('the code is hashed, which each word of it pays for', () => {
    const { blockGas } = run(
      {},
      { to: undefined, gasLimit: 200_000_000n, data: hexToBytes(code(65_536, 0, 'return')) },
    );
    // Bytes of the init code, its one word, three instructions, memory of 2,048 words, and 6 for each of them.
    expect(Number(blockGas.execution)).toBe(24_000 + 76 + 2 + 6 + 14_336 + 12_288);
  });
});

describe('EIP-8024 and EIP-7843: new instructions', () => {
  /** Runs the code, and returns the stack from its top. */
  function getStack(body: string, words: number) {
    // Each word of the stack goes to memory, from the top on.
    const store = Array.from({ length: words }, (_, at) => code({ raw: '0x' }, 32 * at, 'mstore').slice(2)).join('');
    const { output, failure } = run(calls(`0x${body}${store}${code(32 * words, 0, 'return').slice(2)}`), {});
    return (
      failure ?? Array.from({ length: words }, (_, at) => Number(bytesToHex(output.subarray(32 * at, 32 * at + 32))))
    );
  }
  const zeros = (count: number) => new Array<number>(count).fill(0);

  // The cases of the EIP.
  test.each<[string, string, readonly number[]]>([
    ['DUPN 17', `6001${'5f'}${'80'.repeat(15)}e680`, [1, ...zeros(16), 1]],
    ['SWAPN 17', `60015f${'80'.repeat(15)}6002e780`, [1, ...zeros(16), 2]],
    ['EXCHANGE 1 2', '5f60016002e88e', [2, 0, 1]],
    ['EXCHANGE 14 16', `60015f${'80'.repeat(14)}6002e850`, [2, ...zeros(13), 1, 0, 0]],
    ['EXCHANGE, ISZERO', '5f8080e88e15', [1, 0, 0]],
    ['a jump between it and its operand', '600456e65b6007', [7]],
  ])('%s', (_, body, expected) => {
    expect(getStack(body, expected.length)).toEqual(expected);
  });

  test.each(['e75b', 'e852', `5f${'80'.repeat(15)}e680`, 'e65f'])('%s fails', (body) => {
    expect(getStack(body, 1)).toMatchObject({ kind: 'other' });
  });

  test('SLOTNUM answers with the slot of the block', () => {
    const state = stateWith({ [ALICE]: { balance: 1n }, [BOB]: { code: '0x4b5f5260205ff3' } });
    const block = { ...ENVIRONMENT, slotNumber: 77n };
    const options = { fork: 'amsterdam', chainId: 1n, state, block, blockHash: () => undefined } as const;
    expect(execute(options, makeMessage({})).run()?.output.at(-1)).toBe(77);
  });
});
