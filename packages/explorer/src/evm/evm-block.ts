import { hexData, hexQuantity, type Input, type Read } from '@switchyard/service/input';

export const TOKEN_KINDS = ['erc20', 'erc721', 'erc1155'] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

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

/** A call that moved value, or a creation. */
const internalCall = (input: Input) => ({
  kind: input.at('kind').text(),
  from: address(input.at('from')),
  to: address(input.at('to')),
  value: hexQuantity(input.at('value')),
  depth: input.at('depth').integer(),
});

const log = (input: Input) => ({
  address: address(input.at('address')),
  topics: input.at('topics').list(4).map(hash),
  data: bytes(input.at('data')),
});
export type EvmLog = ReturnType<typeof log>;

/** One movement of a token, as its contract's event reports it. */
const tokenTransfer = (input: Input) => ({
  // Position among the logs of the transaction, and among the transfers of the log.
  log: input.at('log').integer(),
  item: input.at('item').integer(),
  kind:
    TOKEN_KINDS.find((kind) => kind === input.at('standard').value) ?? input.at('standard').fail('a token standard'),
  token: address(input.at('token')),
  from: address(input.at('from')),
  to: address(input.at('to')),
  // Undefined for ERC-20.
  id: input.at('id').optional(hexQuantity),
  amount: hexQuantity(input.at('amount')),
});
export type TokenTransfer = ReturnType<typeof tokenTransfer>;

const transaction = (input: Input) => ({
  hash: hash(input.at('hash')),
  // SHA-256 of its bytes, under which composer and sequencer know it.
  submission: input.at('submission').text(),
  from: address(input.at('from')),
  // Undefined if a contract is created.
  to: input.at('to').optional(address),
  created: input.at('contractAddress').optional(address),
  value: hexQuantity(input.at('value')),
  // Paid for each unit of gas.
  gasPrice: hexQuantity(input.at('effectiveGasPrice')),
  gasLimit: number(input.at('gas')),
  gasUsed: number(input.at('gasUsed')),
  maxFee: input.at('maxFeePerGas').optional(hexQuantity),
  maxTip: input.at('maxPriorityFeePerGas').optional(hexQuantity),
  status: number(input.at('status')) === 1 ? (1 as const) : (0 as const),
  type: number(input.at('type')),
  nonce: number(input.at('nonce')),
  input: bytes(input.at('input')),
  logs: input.at('logs').list(MAX_TRANSACTIONS).map(log),
  // Token transfers that the logs report.
  transfers: input.at('transfers').list(MAX_TRANSACTIONS).map(tokenTransfer),
  // Undefined if the node does not report them.
  internal: input.at('internal').optional((calls) => calls.list(MAX_TRANSACTIONS).map(internalCall)),
});
export type EvmTransaction = ReturnType<typeof transaction>;

/** An entry of the sequencer block that became nothing. */
const refusal = (input: Input) => ({
  // Position among the rollup's entries in the sequencer block.
  entry: input.at('entry').integer(),
  kind: input.at('kind').text(),
  hash: hash(input.at('hash')),
  code: input.at('code').text(),
  reason: input.at('reason').text(),
});

/** A block of an EVM rollup as `switchyard_getBlocks` of its node has it. Identities are hex without `0x`. */
export const evmBlock = (input: Input) => ({
  number: number(input.at('number')),
  hash: hash(input.at('hash')),
  parentHash: hash(input.at('parentHash')),
  // Milliseconds since the Unix epoch.
  time: 1_000 * number(input.at('timestamp')),
  gasUsed: number(input.at('gasUsed')),
  gasLimit: number(input.at('gasLimit')),
  baseFee: input.at('baseFeePerGas').optional(hexQuantity) ?? 0n,
  size: number(input.at('size')),
  sequencerHash: input.at('parentBeaconBlockRoot').optional(hash) ?? '',
  transactions: input.at('transactions').list(MAX_TRANSACTIONS).map(transaction),
  // Withdrawals of the block, by which our rules credit deposits.
  deposits: input
    .at('withdrawals')
    .list()
    .map((each) => ({ address: address(each.at('address')), gwei: hexQuantity(each.at('amount')) })),
  refused: input.at('refused').list(MAX_TRANSACTIONS).map(refusal),
});
export type EvmBlock = ReturnType<typeof evmBlock>;
