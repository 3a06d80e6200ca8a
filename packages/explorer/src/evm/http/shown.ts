import { schema } from '@switchyard/service/api';
import { number, numberOrNull, text, time } from '../../http/cells.ts';
import { isFirm } from '../../http/context.ts';
import { type LayerPlace, layerSchema } from '../../http/layer-places.ts';
import type { Row, Value } from '../../store/store.ts';
import { checksummed } from '../address.ts';
import { TOKEN_KINDS, type TokenKind } from '../evm-block.ts';
import type { EvmContext, EvmRollup } from './context.ts';
import { decodedSchema } from './decoding.ts';
import * as form from './schemas.ts';

/* Rows as the API shows them, with their schemas. */

export { number, text, time };
export const hex = (value: Value | undefined): string => `0x${text(value)}`;
export const address = (value: Value | undefined): string => checksummed(text(value));
export const addressOrNull = (value: Value | undefined): string | null =>
  typeof value === 'string' && value !== '' ? checksummed(value) : null;

export const blockSchema = schema.object(
  {
    number: schema.integer('Number of the block'),
    hash: form.hash('Of the block'),
    parentHash: form.hash('Of the block before'),
    time: form.time,
    transactions: schema.integer('Transactions in it'),
    gasUsed: schema.integer('Gas of its transactions'),
    gasLimit: schema.integer('Gas that it may have'),
    baseFee: form.amount('Wei for each unit of gas'),
    size: schema.integer('Bytes'),
    deposits: schema.integer('Deposits that were credited'),
    sequencerBlockHash: form.hash('Of the sequencer block that it was made from'),
    sequencerHeight: schema.nullable(schema.integer('Of that block; null while the index does not have it')),
    isFirm: schema.nullable(schema.flag('Whether it is final; null where its node does not state it')),
    layer: layerSchema,
  },
  { name: 'EvmBlock' },
);

export const BLOCK_COLUMNS = 'e.*, b.height';
export const BLOCKS = 'evm_blocks e LEFT JOIN blocks b ON b.hash = e.sequencer_hash';

export const blockJson = (
  row: Row,
  { firm }: EvmRollup,
  layer: LayerPlace | undefined,
): schema.TypeOf<typeof blockSchema> => ({
  number: number(row.number),
  hash: hex(row.hash),
  parentHash: hex(row.parent_hash),
  time: time(row.time),
  transactions: number(row.transactions),
  gasUsed: number(row.gas_used),
  gasLimit: number(row.gas_limit),
  baseFee: text(row.base_fee),
  size: number(row.size),
  deposits: number(row.deposits),
  sequencerBlockHash: hex(row.sequencer_hash),
  sequencerHeight: numberOrNull(row.height),
  isFirm: isFirm(firm, number(row.number)),
  layer: layer ?? null,
});

export const transactionMembers = {
  hash: form.hash('Of the transaction'),
  block: schema.integer('Number of its block'),
  index: schema.integer('Position in the block'),
  time: form.time,
  from: form.address('Sender'),
  to: schema.nullable(form.address('Whom it calls; null where it creates a contract')),
  created: schema.nullable(form.address('The contract that it was to create')),
  value: form.amount('Wei'),
  fee: form.amount('Wei that it paid'),
  gasUsed: schema.integer('Gas'),
  status: schema.integer('1 where it succeeded, 0 where it failed', { max: 1 }),
  type: schema.integer('EIP-2718', { max: 127 }),
  nonce: schema.integer('Of the sender'),
  selector: schema.nullable(form.hex('First four bytes of the input')),
  method: schema.nullable(schema.text('Name of the function that the selector stands for, if it is known')),
};

export const transactionSchema = schema.object(transactionMembers, { name: 'EvmTransaction' });
export type TransactionJson = schema.TypeOf<typeof transactionSchema>;

export const TRANSACTION_COLUMNS = 't.*, e.time';
export const TRANSACTIONS = 'evm_transactions t JOIN evm_blocks e ON e.rollup = t.rollup AND e.number = t.number';

export const transactionJson = (row: Row, method: string | null = null): TransactionJson => ({
  hash: hex(row.hash),
  block: number(row.number),
  index: number(row.position),
  time: time(row.time),
  from: address(row.sender),
  to: addressOrNull(row.recipient),
  created: addressOrNull(row.created),
  value: text(row.value),
  fee: String(BigInt(text(row.gas_price)) * BigInt(number(row.gas_used))),
  gasUsed: number(row.gas_used),
  status: number(row.status),
  type: number(row.type),
  nonce: number(row.nonce),
  selector: selectorOf(row),
  method,
});

/** What creates a contract has no selector. */
function selectorOf({ input, recipient }: Row): string | null {
  const hasSelector = recipient !== null && typeof input === 'string' && input.length >= 8;
  return hasSelector ? `0x${input.slice(0, 8)}` : null;
}

export const logSchema = schema.object(
  {
    index: schema.integer('Position among the logs of the block'),
    block: schema.integer('Number of its block'),
    transaction: form.hash('Of its transaction'),
    address: form.address('The contract that emitted it'),
    topics: schema.list(form.hash('Topic')),
    data: form.hex('The first 8,192 bytes of its data'),
    dataBytes: schema.integer('Bytes of its data'),
    event: schema.nullable(decodedSchema),
  },
  { name: 'EvmLog' },
);

export type LogJson = schema.TypeOf<typeof logSchema>;

export const LOG_COLUMNS = 'l.*, t.hash';
export const LOGS =
  'evm_logs l JOIN evm_transactions t ON t.rollup = l.rollup AND t.number = l.number AND t.position = l.position';

export async function logsJson(
  { decoder }: Pick<EvmContext, 'decoder'>,
  rollup: EvmRollup,
  rows: readonly Row[],
): Promise<LogJson[]> {
  const shown: LogJson[] = [];
  for (const row of rows) {
    const topics = [row.topic0, row.topic1, row.topic2, row.topic3].filter((each) => typeof each === 'string').map(hex);
    const [emitter, data] = [text(row.address), hex(row.data)];
    const isWhole = number(row.data_size) * 2 + 2 === data.length;
    const event = isWhole ? await decoder?.log(rollup, { address: emitter, topics, data }) : undefined;
    shown.push({
      index: number(row.log),
      block: number(row.number),
      transaction: hex(row.hash),
      address: checksummed(emitter),
      topics,
      data,
      dataBytes: number(row.data_size),
      event: event ?? null,
    });
  }
  return shown;
}

const tokenMembers = {
  address: form.address('The contract'),
  kind: schema.words('Standard', 'erc20', 'erc721', 'erc1155'),
  name: schema.nullable(schema.text('What its contract answers, cut after 100 characters')),
  symbol: schema.nullable(schema.text('What its contract answers, cut after 32 characters')),
  decimals: schema.nullable(schema.integer('What its contract answers', { max: 255 })),
};

/** What transfers and holdings show of a token. */
export const tokenNameSchema = schema.object(tokenMembers, { name: 'EvmTokenName' });

export const tokenSchema = schema.object(
  {
    ...tokenMembers,
    supply: schema.nullable(form.amount('What its contract answers as the total supply')),
    holders: schema.integer('Addresses that hold some of it'),
    transfers: schema.integer('Transfers that its logs report'),
    firstBlock: schema.integer('Block of the first of them'),
    isExact: schema.flag(
      'Whether its logs add up to the balances that its contract answers, as far as they were compared',
    ),
  },
  { name: 'EvmToken' },
);

type TokenName = schema.TypeOf<typeof tokenNameSchema>;

/** @param row Of `evm_tokens`. */
export const tokenNameJson = (row: Row): TokenName => ({
  address: address(row.address),
  kind: kindOf(row.kind),
  name: row.name === null ? null : text(row.name),
  symbol: row.symbol === null ? null : text(row.symbol),
  decimals: row.decimals === null ? null : number(row.decimals),
});

export const tokenJson = (row: Row): schema.TypeOf<typeof tokenSchema> => ({
  ...tokenNameJson(row),
  supply: row.supply === null ? null : text(row.supply),
  holders: number(row.holders),
  transfers: number(row.transfers),
  firstBlock: number(row.number),
  isExact: number(row.exact) === 1,
});

export const kindOf = (value: Value | undefined): TokenKind => TOKEN_KINDS.find((kind) => kind === value) ?? 'erc20';

export const transferSchema = schema.object(
  {
    block: schema.integer('Number of its block'),
    time: form.time,
    transaction: form.hash('Of its transaction'),
    logIndex: schema.integer('Of its log among those of the block'),
    item: schema.integer('Position among the transfers of the log'),
    token: tokenNameSchema,
    from: form.address('Sender; zero where it was minted'),
    to: form.address('Recipient; zero where it was burned'),
    id: schema.nullable(form.amount('Of the item; null for ERC-20')),
    amount: form.amount('In the smallest unit; 1 for ERC-721'),
  },
  { name: 'EvmTokenTransfer' },
);

export const TRANSFER_COLUMNS = `x.number, x.log, x.item, x.token, x.kind AS transfer_kind, x.sender, x.recipient, x.token_id, x.amount,
  t.hash, e.time, k.address, k.kind, k.name, k.symbol, k.decimals`;
/** What belongs to a transfer `x`. */
export const OF_TRANSFER = `JOIN evm_transactions t ON t.rollup = x.rollup AND t.number = x.number AND t.position = x.position
  JOIN evm_blocks e ON e.rollup = x.rollup AND e.number = x.number
  JOIN evm_tokens k ON k.rollup = x.rollup AND k.address = x.token`;
export const TRANSFERS = `evm_transfers x ${OF_TRANSFER}`;

export const transferJson = (row: Row): schema.TypeOf<typeof transferSchema> => ({
  block: number(row.number),
  time: time(row.time),
  transaction: hex(row.hash),
  logIndex: number(row.log),
  item: number(row.item),
  token: { ...tokenNameJson(row), kind: kindOf(row.transfer_kind) },
  from: address(row.sender),
  to: address(row.recipient),
  id: row.token_id === null ? null : text(row.token_id),
  amount: text(row.amount),
});

export const internalSchema = schema.object(
  {
    block: schema.integer('Number of its block'),
    transaction: form.hash('Of its transaction'),
    type: schema.words('What it was', 'CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'),
    depth: schema.integer('1 for what the called contract did itself'),
    from: form.address('Who called'),
    to: form.address('Whom it called or created'),
    value: form.amount('Wei'),
  },
  { name: 'EvmValueCall' },
);

export const INTERNAL_COLUMNS = 'i.*, t.hash';
export const INTERNAL = `evm_address_internal a
  JOIN evm_internal i ON i.rollup = a.rollup AND i.number = a.number AND i.position = a.position AND i.ordinal = a.ordinal
  JOIN evm_transactions t ON t.rollup = a.rollup AND t.number = a.number AND t.position = a.position`;

const TYPES = { call: 'CALL', create: 'CREATE', create2: 'CREATE2', selfdestruct: 'SELFDESTRUCT' } as const;

export const internalJson = (row: Row): schema.TypeOf<typeof internalSchema> => ({
  block: number(row.number),
  transaction: hex(row.hash),
  // Other kinds are not reported.
  type: TYPES[text(row.kind) as keyof typeof TYPES] ?? 'CALL',
  depth: number(row.depth),
  from: address(row.sender),
  to: address(row.recipient),
  value: text(row.value),
});
