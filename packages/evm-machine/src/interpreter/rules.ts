import { FORKS, type Fork, includes } from '../fork.ts';

/** Changes of forks to instructions and transactions, as numbers of gas and flags. */
export interface Rules {
  readonly fork: Fork;
  /** EIP-2929: the first access costs more; the numbers for accounts and slots below are not used then. */
  readonly hasAccessLists: boolean;
  /** Static gas of instructions that look at accounts and slots; 0 with access lists. */
  readonly gas: {
    /** Asked for a whole account. */
    readonly balance: number;
    /** EIP-8038: the code is a second look. */
    readonly code: number;
    readonly codeHash: number;
    readonly sload: number;
    readonly call: number;
    readonly selfdestruct: number;
    /** For each byte of an exponent. */
    readonly exponentByte: number;
    /** EIP-2929, with the figure of EIP-8038 later. */
    readonly coldAccount: number;
    /** For value that goes with a call. */
    readonly value: number;
    readonly create: number;
    /** For an account that a call brings into being, besides the cost of state. */
    readonly newAccount: number;
    /** For a beneficiary that SELFDESTRUCT brings into being. */
    readonly newBeneficiary: number;
    /** For each byte of a new contract, and for each 32 bytes. */
    readonly codeByte: number;
    readonly codeWord: number;
  };
  /** EIP-8037: gas for growth of the state, which is counted on its own; all 0 before. */
  readonly stateGas: {
    readonly account: number;
    readonly slot: number;
    readonly delegation: number;
    readonly codeByte: number;
  };
  /** EIP-8037 with EIP-8038 and EIP-2780. */
  readonly hasStateGas: boolean;
  /** EIP-150: a 64th of the gas stays with the caller, who gets less than asked for instead of failing. */
  readonly keepsSixtyFourth: boolean;
  /** EIP-161: empty accounts do not exist. */
  readonly removesEmpty: boolean;
  /** How SSTORE is paid for: before EIP-1283, by it, by EIP-2200. */
  readonly sstore: 'plain' | 'net' | 'sentry';
  /** EIP-2: whether a creation fails that cannot pay for its code. */
  readonly failsWithoutCodeGas: boolean;
  /** EIP-170, EIP-7954. */
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
  /** EIP-6780: SELFDESTRUCT removes only contracts created by the same transaction. */
  readonly destroysNewOnly: boolean;
  /** EIP-8246: and that keeps its balance. */
  readonly keepsBalance: boolean;
  /** EIP-7708: each transfer of coins is a log, too. */
  readonly logsTransfers: boolean;
  /** EIP-7702. */
  readonly hasDelegation: boolean;
  /** Gas of a transaction before any of its code runs. */
  readonly intrinsic: {
    readonly base: number;
    /** EIP-2: for a contract that it creates. */
    readonly creation: number;
    /** EIP-2780: for a recipient other than the sender, and for value that it gets. */
    readonly recipient: number;
    readonly value: number;
    /** EIP-2028: for each byte of data that is not 0. */
    readonly dataByte: number;
    /** EIP-2930; with the bytes themselves from EIP-7981 on. */
    readonly listedAddress: number;
    readonly listedSlot: number;
    /** EIP-7702. */
    readonly authorization: number;
  };
  /** EIP-7623: gas for data alone, for each byte; 0 before Prague. */
  readonly floor: {
    readonly zeroByte: number;
    readonly otherByte: number;
    /** EIP-7981: of an access list. */
    readonly listedByte: number;
  };
}

/** EIP-8038. */
const COLD_ACCOUNT = 3_000;
export const ACCOUNT_WRITE = 9_000;
/** EIP-8037. */
const STATE_BYTE = 1_530;
/** EIP-7976. */
const FLOOR_BYTE = 64;

const RULES: ReadonlyMap<Fork, Rules> = new Map(FORKS.map((fork) => [fork, make(fork)]));

export function getRules(fork: Fork): Rules {
  const rules = RULES.get(fork);
  if (rules === undefined) throw new Error(`no rules for fork ${fork}`);
  return rules;
}

/** Rules of the fork, or with another bound on code; then init code may have twice as much. */
export function rulesWith(fork: Fork, maxCodeBytes: number | undefined): Rules {
  const rules = getRules(fork);
  return maxCodeBytes === undefined ? rules : { ...rules, maxCodeBytes, maxInitCodeBytes: 2 * maxCodeBytes };
}

function make(fork: Fork): Rules {
  const since = (other: Fork) => includes(fork, other);
  /** The value of the last of the steps that the fork includes. */
  const find = (first: number, ...steps: readonly (readonly [Fork, number])[]) =>
    steps.reduce((value, [other, later]) => (since(other) ? later : value), first);
  return {
    fork,
    hasAccessLists: since('berlin'),
    gas: {
      balance: find(20, ['tangerineWhistle', 400], ['istanbul', 700], ['berlin', 0]),
      code: find(20, ['tangerineWhistle', 700], ['berlin', 0], ['amsterdam', 100]),
      codeHash: find(400, ['istanbul', 700], ['berlin', 0]),
      sload: find(50, ['tangerineWhistle', 200], ['istanbul', 800], ['berlin', 0]),
      call: find(40, ['tangerineWhistle', 700], ['berlin', 0]),
      selfdestruct: find(0, ['tangerineWhistle', 5_000]),
      exponentByte: find(10, ['spuriousDragon', 50]),
      coldAccount: find(2_600, ['amsterdam', COLD_ACCOUNT]),
      value: find(9_000, ['amsterdam', ACCOUNT_WRITE + 2_300]),
      create: find(32_000, ['amsterdam', COLD_ACCOUNT + ACCOUNT_WRITE]),
      newAccount: find(25_000, ['amsterdam', 0]),
      newBeneficiary: find(25_000, ['amsterdam', ACCOUNT_WRITE]),
      codeByte: find(200, ['amsterdam', 0]),
      codeWord: find(0, ['amsterdam', 6]),
    },
    stateGas: {
      account: find(0, ['amsterdam', 120 * STATE_BYTE]),
      slot: find(0, ['amsterdam', 64 * STATE_BYTE]),
      delegation: find(0, ['amsterdam', 23 * STATE_BYTE]),
      codeByte: find(0, ['amsterdam', STATE_BYTE]),
    },
    hasStateGas: since('amsterdam'),
    keepsSixtyFourth: since('tangerineWhistle'),
    removesEmpty: since('spuriousDragon'),
    sstore: since('istanbul') ? 'sentry' : fork === 'constantinople' ? 'net' : 'plain',
    failsWithoutCodeGas: since('homestead'),
    maxCodeBytes: find(Number.POSITIVE_INFINITY, ['spuriousDragon', 24_576], ['amsterdam', 65_536]),
    refusesFormatByte: since('london'),
    metersInitCode: since('shanghai'),
    maxInitCodeBytes: find(Number.POSITIVE_INFINITY, ['shanghai', 49_152], ['amsterdam', 131_072]),
    refundQuotient: find(2, ['london', 5]),
    refunds: { clear: find(15_000, ['london', 4_800]), selfdestruct: find(24_000, ['london', 0]) },
    warmsCoinbase: since('shanghai'),
    destroysNewOnly: since('cancun'),
    keepsBalance: since('amsterdam'),
    logsTransfers: since('amsterdam'),
    hasDelegation: since('prague'),
    intrinsic: {
      base: find(21_000, ['amsterdam', 12_000]),
      creation: find(0, ['homestead', 32_000], ['amsterdam', COLD_ACCOUNT + ACCOUNT_WRITE]),
      recipient: find(0, ['amsterdam', COLD_ACCOUNT]),
      value: find(0, ['amsterdam', 6_000]),
      dataByte: find(68, ['istanbul', 16]),
      listedAddress: find(2_400, ['amsterdam', COLD_ACCOUNT - 100 + 20 * FLOOR_BYTE]),
      listedSlot: find(1_900, ['amsterdam', 2_000 + 32 * FLOOR_BYTE]),
      authorization: find(25_000, ['amsterdam', 7_816]),
    },
    floor: {
      zeroByte: find(0, ['prague', 10], ['amsterdam', FLOOR_BYTE]),
      otherByte: find(0, ['prague', 40], ['amsterdam', FLOOR_BYTE]),
      listedByte: find(0, ['amsterdam', FLOOR_BYTE]),
    },
  };
}
