import fc from 'fast-check';

/*
 * Random contracts. Each is a list of small pieces that leave the stack unchanged, so that any order of them runs, and an
 * end. What a piece calls is a slot of a table of addresses: other contracts of the same script, accounts, precompiles.
 */

export type Hex = `0x${string}`;

/** One piece of a program. */
export type Piece =
  | { readonly kind: 'store' | 'load' | 'remember' | 'recall'; readonly slot: number; readonly value: number }
  | {
      readonly kind: 'call' | 'callcode' | 'delegatecall' | 'staticcall';
      readonly target: number;
      readonly value: number;
      readonly gas: number;
      readonly input: number;
    }
  | { readonly kind: 'create' | 'create2'; readonly init: number; readonly value: number; readonly salt: number }
  | { readonly kind: 'log'; readonly topics: number; readonly length: number }
  | { readonly kind: 'look'; readonly how: 'balance' | 'size' | 'hash' | 'copy'; readonly target: number }
  | { readonly kind: 'word'; readonly word: number; readonly at: number }
  | { readonly kind: 'loop'; readonly times: number }
  | { readonly kind: 'copy'; readonly length: number };

export type End =
  | { readonly kind: 'stop' | 'off' | 'invalid' | 'underflow' | 'badjump' }
  | { readonly kind: 'return' | 'revert'; readonly length: number }
  | { readonly kind: 'selfdestruct'; readonly target: number };

export interface Program {
  readonly pieces: readonly Piece[];
  readonly end: End;
}

const small = fc.integer({ min: 0, max: 3 });
const target = fc.integer({ min: 0, max: 10 });
const value = fc.constantFrom(0, 0, 0, 1, 1_000_000_000);
const gas = fc.constantFrom(0, 700, 30_000, 100_000, 0xffffff);

const piece: fc.Arbitrary<Piece> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('store' as const, 'load' as const, 'remember' as const, 'recall' as const),
      slot: small,
      value: small,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'call' as const,
        'call' as const,
        'callcode' as const,
        'delegatecall' as const,
        'staticcall' as const,
      ),
      ...{ target, value, gas, input: fc.constantFrom(0, 3, 4, 36) },
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('create' as const, 'create2' as const),
      init: fc.integer({ min: 0, max: 7 }),
      value,
      salt: small,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('log' as const),
      topics: fc.integer({ min: 0, max: 4 }),
      length: fc.constantFrom(0, 1, 40),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('look' as const),
      how: fc.constantFrom('balance' as const, 'size' as const, 'hash' as const, 'copy' as const),
      target,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('word' as const), word: small, at: fc.constantFrom(0, 32, 500) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('loop' as const), times: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('copy' as const), length: fc.constantFrom(0, 1, 70) }) },
);

const end: fc.Arbitrary<End> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom('stop' as const, 'stop' as const, 'off' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('invalid' as const, 'underflow' as const, 'badjump' as const) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom('return' as const, 'return' as const, 'revert' as const),
      length: fc.constantFrom(0, 4, 64),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('selfdestruct' as const), target }) },
);

export const program: fc.Arbitrary<Program> = fc.record({ pieces: fc.array(piece, { maxLength: 8 }), end });

/** Codes that creations inside of programs run, at most 32 bytes each. */
const INITS: readonly string[] = [
  '', // an empty contract
  '00', // the same with a STOP
  '600160005360016000f3', // one byte of code: 0x01
  '60ef60005360016000f3', // code that may not be (EIP-3541)
  '60005260206000fd', // a revert
  'fe',
  '33ff', // gone at once, to its maker
  '6001600055600a600c60003960 0a6000f3600054600101600055'.replaceAll(' ', ''), // keeps something, and code that counts
];

const push = (bytes: string): string => (0x5f + bytes.length / 2).toString(16).padStart(2, '0') + bytes;
const number = (value: number, width = 1): string => push(value.toString(16).padStart(2 * width, '0'));
const address = (target: Hex): string => push(target.slice(2));

/** Creation code that leaves `runtime` behind. */
export function deploying(runtime: Hex): Hex {
  const length = ((runtime.length - 2) / 2).toString(16).padStart(4, '0');
  // PUSH2 length DUP1 PUSH1 12 PUSH1 0 CODECOPY PUSH1 0 RETURN
  return `0x61${length}80600c6000396000f3${runtime.slice(2)}`;
}

/** The bytes of a program. @param targets Addresses that its pieces call and look at. */
export function assemble({ pieces, end: last }: Program, targets: readonly Hex[]): Hex {
  const at = (position: number): Hex => targets[position % targets.length] ?? '0x';
  const parts: string[] = [];
  const length = (): number => parts.join('').length / 2;
  for (const each of pieces) parts.push(pieceCode(each, at, length()));
  parts.push(endCode(last, at));
  return `0x${parts.join('')}`;
}

function pieceCode(each: Piece, at: (target: number) => Hex, offset: number): string {
  switch (each.kind) {
    case 'store':
      return `${number(each.value)}${number(each.slot)}55`;
    case 'load':
      return `${number(each.slot)}5450`;
    case 'remember':
      return `${number(each.value)}${number(each.slot)}5d`;
    case 'recall':
      return `${number(each.slot)}5c50`;
    case 'call':
    case 'callcode': {
      const code = each.kind === 'call' ? 'f1' : 'f2';
      const parties = `${number(each.value, 4)}${address(at(each.target))}${number(each.gas, 3)}`;
      return `6020600060${each.input.toString(16).padStart(2, '0')}6000${parties}${code}50`;
    }
    case 'delegatecall':
    case 'staticcall': {
      const code = each.kind === 'delegatecall' ? 'f4' : 'fa';
      return `6020600060${each.input.toString(16).padStart(2, '0')}6000${address(at(each.target))}${number(each.gas, 3)}${code}50`;
    }
    case 'create':
    case 'create2': {
      const init = INITS[each.init] ?? '';
      const size = init.length / 2;
      const stored = init === '' ? '' : `${push(init)}600052`;
      const salt = each.kind === 'create2' ? number(each.salt) : '';
      return `${stored}${salt}${number(size)}${number(32 - size)}${number(each.value, 4)}${each.kind === 'create' ? 'f0' : 'f5'}50`;
    }
    case 'log':
      return `${'60aa'.repeat(each.topics)}${number(each.length)}6000${(0xa0 + each.topics).toString(16)}`;
    case 'look': {
      const where = address(at(each.target));
      if (each.how === 'copy') return `602060006000${where}3c`;
      return `${where}${{ balance: '31', size: '3b', hash: '3f' }[each.how]}50`;
    }
    case 'word':
      return `${number(each.word)}${number(each.at, 2)}52`;
    case 'loop':
      // times: JUMPDEST 1 SWAP1 SUB DUP1 PUSH2 to JUMPI POP
      return `${number(each.times)}5b6001900380${number(offset + 2, 2)}5750`;
    case 'copy':
      return `${number(each.length)}600060405e`;
  }
}

function endCode(last: End, at: (target: number) => Hex): string {
  switch (last.kind) {
    case 'stop':
      return '00';
    case 'off':
      return '';
    case 'invalid':
      return 'fe';
    case 'underflow':
      return '50';
    case 'badjump':
      return '600156';
    case 'return':
      return `${number(last.length)}6000f3`;
    case 'revert':
      return `${number(last.length)}6000fd`;
    case 'selfdestruct':
      return `${address(at(last.target))}ff`;
  }
}
