import type { Address } from './types.ts';

export const OPCODE = {
  stop: 0x00,
  keccak256: 0x20,
  balance: 0x31,
  extcodesize: 0x3b,
  extcodecopy: 0x3c,
  extcodehash: 0x3f,
  sload: 0x54,
  sstore: 0x55,
  jumpdest: 0x5b,
  log0: 0xa0,
  log4: 0xa4,
  create: 0xf0,
  call: 0xf1,
  callcode: 0xf2,
  return: 0xf3,
  delegatecall: 0xf4,
  create2: 0xf5,
  staticcall: 0xfa,
  revert: 0xfd,
  invalid: 0xfe,
  selfdestruct: 0xff,
} as const;

/** Names of opcodes in runs, each with its first opcode. */
const RUNS: readonly (readonly [first: number, names: string])[] = [
  [0x00, 'STOP ADD MUL SUB DIV SDIV MOD SMOD ADDMOD MULMOD EXP SIGNEXTEND'],
  [0x10, 'LT GT SLT SGT EQ ISZERO AND OR XOR NOT BYTE SHL SHR SAR CLZ'],
  [0x20, 'KECCAK256'],
  [0x30, 'ADDRESS BALANCE ORIGIN CALLER CALLVALUE CALLDATALOAD CALLDATASIZE CALLDATACOPY CODESIZE CODECOPY GASPRICE'],
  [0x3b, 'EXTCODESIZE EXTCODECOPY RETURNDATASIZE RETURNDATACOPY EXTCODEHASH'],
  [
    0x40,
    'BLOCKHASH COINBASE TIMESTAMP NUMBER DIFFICULTY GASLIMIT CHAINID SELFBALANCE BASEFEE BLOBHASH BLOBBASEFEE SLOTNUM',
  ],
  [0x50, 'POP MLOAD MSTORE MSTORE8 SLOAD SSTORE JUMP JUMPI PC MSIZE GAS JUMPDEST TLOAD TSTORE MCOPY PUSH0'],
  [0xe6, 'DUPN SWAPN EXCHANGE'],
  [0xf0, 'CREATE CALL CALLCODE RETURN DELEGATECALL CREATE2'],
  [0xfa, 'STATICCALL'],
  [0xfd, 'REVERT INVALID SELFDESTRUCT'],
];

const NAMES: ReadonlyMap<number, string> = new Map([
  ...RUNS.flatMap(([first, names]) => names.split(' ').map((name, at) => [first + at, name] as const)),
  ...numbered(0x60, 'PUSH', 1, 32),
  ...numbered(0x80, 'DUP', 1, 16),
  ...numbered(0x90, 'SWAP', 1, 16),
  ...numbered(OPCODE.log0, 'LOG', 0, 4),
]);

function numbered(code: number, name: string, first: number, last: number): (readonly [number, string])[] {
  return Array.from({ length: last - first + 1 }, (_, at) => [code + at, `${name}${first + at}`]);
}

/** Name in go-ethereum, for any fork. */
export function opcodeName(code: number): string {
  return NAMES.get(code) ?? `opcode 0x${code.toString(16)} not defined`;
}

/** The lower 20 bytes of a word. */
export function toAddress(word: bigint): Address {
  return `0x${BigInt.asUintN(160, word).toString(16).padStart(40, '0')}`;
}
