import { hexData, hexQuantity, type Read } from '@switchyard/service/input';

/** A block of an EVM rollup as `switchyard_getBlocks` of its node has it. Identities are hex without `0x`. */
export interface EvmBlock {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
  readonly gasUsed: number;
  readonly gasLimit: number;
  readonly baseFee: bigint;
  readonly size: number;
  readonly sequencerHash: string;
  readonly transactions: readonly EvmTransaction[];
  readonly deposits: readonly EvmDeposit[];
  readonly refused: readonly EvmRefusal[];
}

export interface EvmTransaction {
  readonly hash: string;
  /** SHA-256 of its bytes, under which composer and sequencer know it. */
  readonly submission: string;
  readonly from: string;
  /** Undefined where a contract is created. */
  readonly to: string | undefined;
  readonly created: string | undefined;
  readonly value: bigint;
  /** Paid for each unit of gas. */
  readonly gasPrice: bigint;
  readonly gasLimit: number;
  readonly gasUsed: number;
  readonly maxFee: bigint | undefined;
  readonly maxTip: bigint | undefined;
  readonly status: 0 | 1;
  readonly type: number;
  readonly nonce: number;
  readonly input: string;
  readonly logs: readonly EvmLog[];
  /** Token transfers that the logs report. */
  readonly transfers: readonly TokenTransfer[];
  /** Calls that moved value, and creations; undefined where the node does not report them. */
  readonly internal: readonly InternalCall[] | undefined;
}

export interface EvmLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

export const TOKEN_KINDS = ['erc20', 'erc721', 'erc1155'] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

/** One movement of a token, as its contract's event reports it. */
export interface TokenTransfer {
  /** Position among the logs of the transaction, and among the transfers of the log. */
  readonly log: number;
  readonly item: number;
  readonly kind: TokenKind;
  readonly token: string;
  readonly from: string;
  readonly to: string;
  /** Undefined for ERC-20. */
  readonly id: bigint | undefined;
  readonly amount: bigint;
}

export interface InternalCall {
  readonly kind: string;
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
  readonly depth: number;
}

/** A withdrawal of the block, by which our rules credit a deposit. */
export interface EvmDeposit {
  readonly address: string;
  readonly gwei: bigint;
}

/** An entry of the sequencer block that became nothing. */
export interface EvmRefusal {
  /** Position among the rollup's entries in the sequencer block. */
  readonly entry: number;
  readonly kind: string;
  readonly hash: string;
  readonly code: string;
  readonly reason: string;
}

const MAX_TRANSACTIONS = 1_000_000;

const hex = (length?: number): Read<string> => {
  const read = hexData(length);
  return (input) => read(input).slice(2);
};
const hash = hex(32);
const address = hex(20);
const bytes = hex();
/** Gas, sizes and numbers: far below 2^53. */
const number: Read<number> = (input) => {
  const value = Number(hexQuantity(input));
  return Number.isSafeInteger(value) ? value : input.fail('a number below 2^53');
};

export const evmBlock: Read<EvmBlock> = (input) => ({
  number: number(input.at('number')),
  hash: hash(input.at('hash')),
  parentHash: hash(input.at('parentHash')),
  time: 1_000 * number(input.at('timestamp')),
  gasUsed: number(input.at('gasUsed')),
  gasLimit: number(input.at('gasLimit')),
  baseFee: input.at('baseFeePerGas').optional(hexQuantity) ?? 0n,
  size: number(input.at('size')),
  sequencerHash: input.at('parentBeaconBlockRoot').optional(hash) ?? '',
  transactions: input.at('transactions').list(MAX_TRANSACTIONS).map(transaction),
  deposits: input
    .at('withdrawals')
    .list()
    .map((each) => ({ address: address(each.at('address')), gwei: hexQuantity(each.at('amount')) })),
  refused: input.at('refused').list(MAX_TRANSACTIONS).map(refusal),
});

const transaction: Read<EvmTransaction> = (input) => ({
  hash: hash(input.at('hash')),
  submission: input.at('submission').text(),
  from: address(input.at('from')),
  to: input.at('to').optional(address),
  created: input.at('contractAddress').optional(address),
  value: hexQuantity(input.at('value')),
  gasPrice: hexQuantity(input.at('effectiveGasPrice')),
  gasLimit: number(input.at('gas')),
  gasUsed: number(input.at('gasUsed')),
  maxFee: input.at('maxFeePerGas').optional(hexQuantity),
  maxTip: input.at('maxPriorityFeePerGas').optional(hexQuantity),
  status: number(input.at('status')) === 1 ? 1 : 0,
  type: number(input.at('type')),
  nonce: number(input.at('nonce')),
  input: bytes(input.at('input')),
  logs: input.at('logs').list(MAX_TRANSACTIONS).map(log),
  transfers: input.at('transfers').list(MAX_TRANSACTIONS).map(tokenTransfer),
  internal: input.at('internal').optional((calls) => calls.list(MAX_TRANSACTIONS).map(internalCall)),
});

const log: Read<EvmLog> = (input) => ({
  address: address(input.at('address')),
  topics: input.at('topics').list(4).map(hash),
  data: bytes(input.at('data')),
});

const tokenTransfer: Read<TokenTransfer> = (input) => ({
  log: input.at('log').integer(),
  item: input.at('item').integer(),
  kind:
    TOKEN_KINDS.find((kind) => kind === input.at('standard').value) ?? input.at('standard').fail('a token standard'),
  token: address(input.at('token')),
  from: address(input.at('from')),
  to: address(input.at('to')),
  id: input.at('id').optional(hexQuantity),
  amount: hexQuantity(input.at('amount')),
});

const internalCall: Read<InternalCall> = (input) => ({
  kind: input.at('kind').text(),
  from: address(input.at('from')),
  to: address(input.at('to')),
  value: hexQuantity(input.at('value')),
  depth: input.at('depth').integer(),
});

const refusal: Read<EvmRefusal> = (input) => ({
  entry: input.at('entry').integer(),
  kind: input.at('kind').text(),
  hash: hash(input.at('hash')),
  code: input.at('code').text(),
  reason: input.at('reason').text(),
});
