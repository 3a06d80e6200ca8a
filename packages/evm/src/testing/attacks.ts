import { POINT_EVALUATION } from '@switchyard/evm-machine/testing';
import type { Address, Data } from '@switchyard/evm-machine/types';
import { bytesToHex } from '@switchyard/protocol/ethereum';

/*
 * Programs that spend their gas on one thing, for every opcode of Cancun and every precompiled contract, and on the
 * combinations that have cost clients more than was paid for. Each runs until its gas is gone.
 */

export interface Attack {
  readonly name: string;
  /** Code of the contract that is called. */
  readonly code: Data;
  readonly data: Data;
  /** Contracts that it uses. */
  readonly others: Readonly<Record<Address, Data>>;
}

type Extra = Partial<Pick<Attack, 'data' | 'others'>>;

const push = (value: number): string => {
  if (value === 0) return '5f';
  const digits = value.toString(16);
  const even = digits.length % 2 === 0 ? digits : `0${digits}`;
  return `${(0x5f + even.length / 2).toString(16)}${even}`;
};
const hex = (byte: number): string => byte.toString(16).padStart(2, '0');
const account = (digit: string): Address => `0x${digit.repeat(40)}`;
const pushed = (address: Address): string => `73${address.slice(2)}`;

/** Length up to which a body is repeated, so that jumping back costs little of the gas. */
const BODY_BYTES = 8_000;

/** `setup` once, then `body`, which leaves the stack as it found it, for ever. */
function forever(body: string, setup = '', times = Math.max(1, Math.floor(BODY_BYTES / (body.length / 2)))): Data {
  return `0x${setup}5b${body.repeat(times)}${push(setup.length / 2)}56`;
}

function attack(name: string, code: Data, { data = '0x', others = {} }: Extra = {}): Attack {
  return { name, code, data, others };
}

const MAX = `7f${'ff'.repeat(32)}`;
const BIG = `7f7e${'c3'.repeat(31)}`;
const ODD = `7f00${'fd'.repeat(31)}`;

const BINARY: Readonly<Record<string, number>> = {
  ADD: 0x01,
  MUL: 0x02,
  SUB: 0x03,
  DIV: 0x04,
  SDIV: 0x05,
  MOD: 0x06,
  SMOD: 0x07,
  EXP: 0x0a,
  LT: 0x10,
  GT: 0x11,
  SLT: 0x12,
  SGT: 0x13,
  EQ: 0x14,
  AND: 0x16,
  OR: 0x17,
  XOR: 0x18,
};
/** The second operand is a small number. */
const BY_POSITION: Readonly<Record<string, number>> = { SIGNEXTEND: 0x0b, BYTE: 0x1a, SHL: 0x1b, SHR: 0x1c, SAR: 0x1d };
const NULLARY: Readonly<Record<string, number>> = {
  ADDRESS: 0x30,
  ORIGIN: 0x32,
  CALLER: 0x33,
  CALLVALUE: 0x34,
  CALLDATASIZE: 0x36,
  CODESIZE: 0x38,
  GASPRICE: 0x3a,
  RETURNDATASIZE: 0x3d,
  COINBASE: 0x41,
  TIMESTAMP: 0x42,
  NUMBER: 0x43,
  PREVRANDAO: 0x44,
  GASLIMIT: 0x45,
  CHAINID: 0x46,
  SELFBALANCE: 0x47,
  BASEFEE: 0x48,
  BLOBBASEFEE: 0x4a,
  PC: 0x58,
  MSIZE: 0x59,
  GAS: 0x5a,
  PUSH0: 0x5f,
};

const plain: readonly Attack[] = [
  ...Object.entries(BINARY).map(([name, op]) => attack(name, forever(`8181${hex(op)}50`, `${BIG}${MAX}`))),
  attack('DIV by a half', forever('81810450', `${ODD}${MAX}`)),
  ...Object.entries(BY_POSITION).map(([name, op]) => attack(name, forever(`8181${hex(op)}50`, `${MAX}${push(7)}`))),
  ...['ADDMOD', 'MULMOD'].map((name, index) =>
    attack(name, forever(`828282${hex(8 + index)}50`, `${ODD}${BIG}${MAX}`)),
  ),
  ...['ISZERO', '', '', '', 'NOT'].flatMap((name, index) =>
    name === '' ? [] : [attack(name, forever(`80${hex(0x15 + index)}50`, MAX))],
  ),
  ...Object.entries(NULLARY).map(([name, op]) => attack(name, forever(`${hex(op)}50`))),
  ...[1, 6, 7, 20, 32].map((size) => attack(`PUSH${size}`, forever(`${hex(0x5f + size)}${'fe'.repeat(size)}50`))),
  attack('DUP16', forever('8f50', MAX.repeat(16))),
  attack('SWAP16', forever('9f', MAX.repeat(17))),
  attack('JUMP', '0x5b5f56'),
  attack('JUMPI', '0x5b60015f575f56'),
  attack('JUMPI, not taken', forever('5f5f57')),
  attack('JUMPDEST', forever('5b')),
  attack('JUMP, all over', jumps()),
  attack('CALLDATALOAD', forever('5f3550'), { data: `0x${'ee'.repeat(32)}` }),
  attack('BLOCKHASH', forever('600143034050')),
  attack('BLOBHASH', forever('5f4950')),
];

/** From target to target, each time a long way. */
function jumps(): Data {
  const count = 2_000;
  const at = (index: number) => (index * 5).toString(16).padStart(4, '0');
  const next = (index: number) => (index + 997) % count;
  return `0x${Array.from({ length: count }, (_, index) => `5b61${at(next(index))}56`).join('')}`;
}

const KIB = 1_024;
const memory: readonly Attack[] = [
  attack('MLOAD', forever('5f5150')),
  attack('MSTORE', forever('805f52', MAX)),
  attack('MSTORE8', forever('805f53', MAX)),
  attack('MLOAD, growing', forever('595150')),
  attack('MSTORE, growing', forever('805952', MAX)),
  ...[0, 32, KIB, 100 * KIB].flatMap((size) => [
    attack(`KECCAK256 of ${size}`, forever(`${push(size)}5f2050`)),
    attack(`CALLDATACOPY of ${size} past the end`, forever(`${push(size)}5f5f37`)),
    attack(`CODECOPY of ${size} past the end`, forever(`${push(size)}61ffff5f39`)),
    attack(`MCOPY of ${size}`, forever(`${push(size)}5f60015e`)),
    attack(`EXTCODECOPY of ${size}`, forever(`${push(size)}5f5f303c`)),
    attack(`RETURNDATACOPY of ${size}`, forever(`${push(size)}5f5f3e`, returned(size)), {
      others: { [account('b')]: `0x${push(size)}5ff3` },
    }),
    attack(`LOG0 of ${size}`, forever(`${push(size)}5fa0`)),
  ]),
  ...[1, 2, 3, 4].map((topics) =>
    attack(`LOG${topics}`, forever(`${'80'.repeat(topics)}5f5f${hex(0xa0 + topics)}`, MAX)),
  ),
];

/** Calls the other contract once, which returns this much. */
function returned(size: number): string {
  return `5f5f5f5f${pushed(account('b'))}${push(size * 20 + 1_000_000)}fa50`;
}

const LONG_BYTES = 24_576;
/** Contracts of the largest size: stops at once; jumps to its end; cannot jump. */
const stops = `00${'60fe'.repeat((LONG_BYTES - 2) / 2)}`;
const jumping = `${push(LONG_BYTES - 2)}56${'60fe'.repeat((LONG_BYTES - 6) / 2)}5b00`;
const failing = `600156${'60fe'.repeat((LONG_BYTES - 4) / 2)}`;

const many = (code: string, count = 60): Record<Address, Data> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `0x${(0xbeef00 + index).toString(16).padStart(40, '0')}` as Address,
      // Different at the end, or they were one code.
      `0x${code.slice(0, -6)}${hex(index)}${code.slice(-4)}`,
    ]),
  );
const calls = (to: Iterable<string>, gas = push(30_000)) =>
  [...to].map((address) => `5f5f5f5f73${address.slice(2)}${gas}fa50`).join('');
const CALL_EMPTY_ACCOUNT = '5f5f5f5f5f60ff61fffff150';

const state: readonly Attack[] = [
  attack('BALANCE, warm', forever('303150')),
  attack('BALANCE, cold', forever('5a3150')),
  attack('EXTCODESIZE, warm', forever(`${pushed(account('b'))}3b50`), { others: { [account('b')]: `0x${stops}` } }),
  attack('EXTCODESIZE, cold', forever('5a3b50')),
  attack('EXTCODEHASH, warm', forever('303f50')),
  attack('EXTCODEHASH, cold', forever('5a3f50')),
  attack('SLOAD, warm', forever('5f5450')),
  attack('SLOAD, cold', forever('5a5450')),
  attack('SSTORE, same', forever('60015f55', '60015f55')),
  attack('SSTORE, other', forever('5a5f55')),
  attack('SSTORE, new', forever('5a5a55')),
  attack('TLOAD', forever('5f5c50')),
  attack('TLOAD, many', forever('5a5c50')),
  attack('TSTORE', forever('5a5f5d')),
  attack('TSTORE, many', forever('5a5a5d')),
];

const frames: readonly Attack[] = [
  ...(
    [
      ['CALL', 'f1', '5f'],
      ['CALLCODE', 'f2', '5f'],
      ['DELEGATECALL', 'f4', ''],
      ['STATICCALL', 'fa', ''],
    ] as const
  ).flatMap(([name, op, value]) => {
    const to = (target: string) => forever(`5f5f5f5f${value}${target}61ffff${op}50`);
    return [
      attack(`${name} of an empty account, warm`, to('60ff')),
      attack(`${name} of an empty account, cold`, to('5a')),
      attack(`${name} of a stop`, to(pushed(account('b'))), { others: { [account('b')]: '0x00' } }),
      attack(`${name} of long code that stops`, to(pushed(account('b'))), { others: { [account('b')]: `0x${stops}` } }),
      attack(`${name} of long code that jumps`, to(pushed(account('b'))), {
        others: { [account('b')]: `0x${jumping}` },
      }),
    ];
  }),
  attack('CALL with value', forever('5f5f5f5f600160ff5af150')),
  attack('STATICCALL of 60 long codes that stop', forever(calls(Object.keys(many(stops)))), { others: many(stops) }),
  attack('STATICCALL of 60 long codes that jump', forever(calls(Object.keys(many(jumping)))), {
    others: many(jumping),
  }),
  attack('STATICCALL of 60 long codes that cannot', forever(calls(Object.keys(many(failing)), push(20))), {
    others: many(failing),
  }),
  attack('CALL of itself, as deep as it goes', '0x5b5f5f5f5f5f305af1505f56'),
  attack('STATICCALL that returns 100 KiB', forever(calls([account('b')], push(60_000))), {
    others: { [account('b')]: `0x${push(100 * KIB)}5ff3` },
  }),
  attack('STATICCALL with 100 KiB of data', forever(`5f5f${push(100 * KIB)}5f60ff5afa50`)),
  attack('CALL that is reverted after 20 TSTOREs', forever(`5f5f5f5f5f${pushed(account('b'))}${push(60_000)}f150`), {
    others: { [account('b')]: `0x${'5a5a5d'.repeat(20)}5f5ffd` },
  }),
  attack('CALL that is reverted after 5 SSTOREs', forever(`5f5f5f5f5f${pushed(account('b'))}${push(200_000)}f150`), {
    others: { [account('b')]: `0x${'5a5a55'.repeat(5)}5f5ffd` },
  }),
  attack('CREATE of nothing', forever('5f5f5ff050')),
  attack('CREATE2 of nothing', forever('5a5f5f5ff550')),
  attack('CREATE of 48 KiB that stop', forever(`${push(49_152)}5f5ff050`)),
  attack('CREATE2 of 48 KiB that stop', forever(`5a${push(49_152)}5f5ff550`)),
  attack('CREATE of 48 KiB that jump', forever(`${push(49_152)}5f5ff050`, filled(`${push(49_150)}56`, '5b00'))),
  attack('CREATE of a contract of 24 KiB', forever(`${push(5)}${push(27)}5ff050`, '646160005ff35f52')),
  attack('destroyed contracts, then calls', destroyedThen(300, CALL_EMPTY_ACCOUNT)),
  attack('logs, then calls', `0x${'5f5fa0'.repeat(2_000)}5b${CALL_EMPTY_ACCOUNT.repeat(400)}${push(6_000)}56`),
  attack('destroyed contracts', forever('6130ff5f526002601e5ff050')),
];

/** `first` at 0, zeros, `last` at the end of 48 KiB. */
function filled(first: string, last: string): string {
  const word = (text: string) => `7f${text.padEnd(64, '0')}`;
  return `${word(first)}5f52${word('0'.repeat(60) + last)}${push(49_120)}52`;
}

function destroyedThen(count: number, body: string): Data {
  const setup = '6130ff5f526002601e5ff050'.repeat(count);
  return forever(body, setup);
}

/** Static calls of the contract at this place with the data of the call, and this much gas each. */
function precompiled(place: number, data: Data, gas = '5a'): Extra & { readonly code: Data } {
  const length = data.length / 2 - 1;
  return { code: forever(`5f5f${push(length)}5f60${hex(place)}${gas}fa50`, `${push(length)}5f5f37`), data };
}

const words = (...values: readonly (bigint | number)[]): string =>
  values.map((value) => value.toString(16).padStart(64, '0')).join('');
/** Lengths, then base, exponent and modulus of this many bytes. */
const power = (base: number, exponent: string, modulus: number, odd = 'ff'): Data =>
  `0x${words(base, exponent.length / 2, modulus)}${'fe'.repeat(base)}${exponent}${'fd'.repeat(modulus - 1)}${odd}`;
const SIGNED =
  '0x456e9aea5e197a1f1af7a3e85a3212fa4049a3ba34c2289b4c860fc0b0c64ef3000000000000000000000000000000000000000000000000000000000000001c9242685bf161793cc25603c231bc2f568eb630ea16aa137d2664ac80388256084f8ae3bd7535248d0bd448298cc2e2071e56992d0774dc340c368ae950852ada';
const P1 = words(1, 2);
/** The generator of the second group (EIP-197). */
const P2 = words(
  0x198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2n,
  0x1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6edn,
  0x090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975bn,
  0x12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daan,
);
const blake = (rounds: number): Data => `0x${rounds.toString(16).padStart(8, '0')}${'5a'.repeat(208)}01`;

const contracts: readonly Attack[] = (
  [
    ['ECRECOVER', precompiled(1, SIGNED)],
    ['ECRECOVER of nothing', precompiled(1, '0x')],
    ...[0, 32, 100 * KIB].flatMap((size) => [
      [`SHA256 of ${size}`, precompiled(2, `0x${'ab'.repeat(size)}`)] as const,
      [`RIPEMD160 of ${size}`, precompiled(3, `0x${'ab'.repeat(size)}`)] as const,
      [`IDENTITY of ${size}`, precompiled(4, `0x${'ab'.repeat(size)}`)] as const,
    ]),
    ['MODEXP of nothing', precompiled(5, '0x')],
    ['MODEXP, 32 bytes, exponent 3', precompiled(5, power(32, '03', 32))],
    ['MODEXP, 32 bytes', precompiled(5, power(32, 'ff'.repeat(32), 32))],
    ['MODEXP, 32 bytes, even', precompiled(5, power(32, 'ff'.repeat(32), 32, 'fe'))],
    ['MODEXP, 8 bytes, exponent of 8 KiB', precompiled(5, power(8, 'ff'.repeat(8 * KIB), 8))],
    ['MODEXP, 1 KiB, exponent 3', precompiled(5, power(KIB, '03', KIB))],
    ['MODEXP, 1 KiB, even', precompiled(5, power(KIB, 'ffff', KIB, 'fe'))],
    ['MODEXP, base of 8 KiB, modulus 1', precompiled(5, power(8 * KIB, '03', 1))],
    ['BN254 ADD', precompiled(6, `0x${P1}${P1}`)],
    ['BN254 ADD of nothing', precompiled(6, '0x')],
    ['BN254 ADD, refused', precompiled(6, `0x${words(1, 1, 1, 2)}`, push(150))],
    ['BN254 MUL', precompiled(7, `0x${P1}${'fe'.repeat(32)}`)],
    ['BN254 MUL, refused', precompiled(7, `0x${words(1, 1)}${'fe'.repeat(32)}`, push(6_000))],
    ['BN254 PAIRING of nothing', precompiled(8, '0x')],
    ['BN254 PAIRING of one', precompiled(8, `0x${P1}${P2}`)],
    ['BN254 PAIRING of ten', precompiled(8, `0x${`${P1}${P2}`.repeat(10)}`)],
    ['BN254 PAIRING, refused', precompiled(8, `0x${P1}${words(1, 1, 1, 1)}`, push(79_000))],
    ['BLAKE2F of no rounds', precompiled(9, blake(0))],
    ['BLAKE2F of 12 rounds', precompiled(9, blake(12))],
    ['BLAKE2F of 100,000 rounds', precompiled(9, blake(100_000))],
    ['POINT EVALUATION', precompiled(10, bytesToHex(POINT_EVALUATION))],
    ['POINT EVALUATION, refused', precompiled(10, bytesToHex(POINT_EVALUATION.with(-1, 0)), push(50_000))],
  ] as const
).map(([name, { code, data }]) => attack(name, code, { data: data ?? '0x' }));

/** All of them. */
export const ATTACKS: readonly Attack[] = [...plain, ...memory, ...state, ...frames, ...contracts];
