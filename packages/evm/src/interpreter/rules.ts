import { FORKS, type Fork, includes } from './fork.ts';

/** Changes of forks to instructions and transactions, as numbers of gas and flags. */
export interface Rules {
  readonly fork: Fork;
  /** EIP-2929: what is touched first costs more; the numbers for accounts and slots below are not used then. */
  readonly hasAccessLists: boolean;
  /** Static gas of instructions that look at accounts and slots; 0 with access lists. */
  readonly gas: {
    readonly balance: number;
    readonly code: number;
    readonly codeHash: number;
    readonly sload: number;
    readonly call: number;
    readonly selfdestruct: number;
    /** For each byte of an exponent. */
    readonly exponentByte: number;
  };
  /** EIP-150: a 64th of the gas stays with the caller, who gets less than asked for instead of failing. */
  readonly keepsSixtyFourth: boolean;
  /** EIP-161: empty accounts do not exist. */
  readonly removesEmpty: boolean;
  /** How SSTORE is paid for: before EIP-1283, by it, by EIP-2200. */
  readonly sstore: 'plain' | 'net' | 'sentry';
  /** EIP-2: whether a creation fails that cannot pay for its code. */
  readonly failsWithoutCodeGas: boolean;
  /** EIP-170. */
  readonly maxCodeBytes: number;
  /** EIP-3541. */
  readonly refusesFormatByte: boolean;
  /** EIP-3860: length of init code is paid for and bounded. */
  readonly metersInitCode: boolean;
  /** EIP-3860: twice the length that code may have. */
  readonly maxInitCodeBytes: number;
  /** EIP-3529: at most this part of the gas is given back. */
  readonly refundQuotient: number;
  /** EIP-3529. */
  readonly refunds: { readonly clear: number; readonly selfdestruct: number };
  /** EIP-3651. */
  readonly warmsCoinbase: boolean;
  /** EIP-6780: SELFDESTRUCT removes only what the same transaction created. */
  readonly destroysNewOnly: boolean;
  /** EIP-7702. */
  readonly hasDelegation: boolean;
  /** EIP-7623. */
  readonly hasFloor: boolean;
  /** EIP-2028: for each byte of data that is not 0. */
  readonly dataByte: number;
  /** EIP-2: of a transaction that creates a contract, on top of a plain one. */
  readonly createTransaction: number;
}

const RULES: ReadonlyMap<Fork, Rules> = new Map(FORKS.map((fork) => [fork, make(fork)]));

export function rulesOf(fork: Fork): Rules {
  const rules = RULES.get(fork);
  if (rules === undefined) throw new Error(`no rules for fork ${fork}`);
  return rules;
}

/** Rules of the fork, or with another bound on code; then init code may have twice as much. */
export function rulesWith(fork: Fork, maxCodeBytes: number | undefined): Rules {
  const rules = rulesOf(fork);
  return maxCodeBytes === undefined ? rules : { ...rules, maxCodeBytes, maxInitCodeBytes: 2 * maxCodeBytes };
}

function make(fork: Fork): Rules {
  const since = (other: Fork) => includes(fork, other);
  /** The value of the last of the steps that the fork includes. */
  const of = (first: number, ...steps: readonly (readonly [Fork, number])[]) =>
    steps.reduce((value, [other, later]) => (since(other) ? later : value), first);
  return {
    fork,
    hasAccessLists: since('berlin'),
    gas: {
      balance: of(20, ['tangerineWhistle', 400], ['istanbul', 700], ['berlin', 0]),
      code: of(20, ['tangerineWhistle', 700], ['berlin', 0]),
      codeHash: of(400, ['istanbul', 700], ['berlin', 0]),
      sload: of(50, ['tangerineWhistle', 200], ['istanbul', 800], ['berlin', 0]),
      call: of(40, ['tangerineWhistle', 700], ['berlin', 0]),
      selfdestruct: of(0, ['tangerineWhistle', 5_000]),
      exponentByte: of(10, ['spuriousDragon', 50]),
    },
    keepsSixtyFourth: since('tangerineWhistle'),
    removesEmpty: since('spuriousDragon'),
    sstore: since('istanbul') ? 'sentry' : fork === 'constantinople' ? 'net' : 'plain',
    failsWithoutCodeGas: since('homestead'),
    maxCodeBytes: since('spuriousDragon') ? 24_576 : Number.POSITIVE_INFINITY,
    refusesFormatByte: since('london'),
    metersInitCode: since('shanghai'),
    maxInitCodeBytes: since('shanghai') ? 49_152 : Number.POSITIVE_INFINITY,
    refundQuotient: of(2, ['london', 5]),
    refunds: { clear: of(15_000, ['london', 4_800]), selfdestruct: of(24_000, ['london', 0]) },
    warmsCoinbase: since('shanghai'),
    destroysNewOnly: since('cancun'),
    hasDelegation: since('prague'),
    hasFloor: since('prague'),
    dataByte: of(68, ['istanbul', 16]),
    createTransaction: of(0, ['homestead', 32_000]),
  };
}
