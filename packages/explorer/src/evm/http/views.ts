import * as records from '../../contract/evm.ts';
import { number, text } from '../../http/cells.ts';
import { isFirm } from '../../http/context.ts';
import { type Computed, type ComputedOf, view, withPrefix } from '../../http/view.ts';
import { sameHash } from '../../store/statements.ts';
import type { Row } from '../../store/store.ts';
import type { EvmContext, EvmRollup } from './context.ts';
import { getMethods } from './decoding.ts';

/* Records of several routes: if they are in the index, and their members that no column has. */

export const BLOCKS = view(
  records.evmBlock,
  `evm_blocks e LEFT JOIN blocks b ON ${sameHash('b.hash', 'e.sequencer_hash')}`,
  { sequencerBlockHash: 'e.sequencer_hash', sequencerHeight: 'b.height' },
);

export async function blockFacts(
  { layer }: Pick<EvmContext, 'layer'>,
  { firm }: EvmRollup,
  rows: readonly Row[],
): Promise<ComputedOf<typeof records.evmBlock>> {
  const places = await layer.of(rows.map(({ sequencerHeight }) => number(sequencerHeight)));
  return (row) => ({
    isFirm: isFirm(firm, number(row.number)),
    layer: places.get(number(row.sequencerHeight)) ?? null,
  });
}

const OF_TRANSACTION = {
  ...{ block: 't.number', index: 't.position', time: 'e.time', from: 't.sender', to: 't.recipient' },
  ...{ input: 't.input', gasPrice: 't.gas_price' },
};
const WITH_BLOCK = 'evm_transactions t JOIN evm_blocks e ON e.rollup = t.rollup AND e.number = t.number';
export const TRANSACTIONS = view(records.evmTransaction, WITH_BLOCK, OF_TRANSACTION);
export const FULL_TRANSACTIONS = view(records.fullEvmTransaction, WITH_BLOCK, {
  ...OF_TRANSACTION,
  ...{ inputBytes: 't.input_size', logCount: 't.logs' },
});

/** @param rows Of {@link TRANSACTIONS}. */
export async function transactionFacts(
  context: Pick<EvmContext, 'contracts'>,
  rollup: EvmRollup,
  rows: readonly Row[],
): Promise<ComputedOf<typeof records.evmTransaction>> {
  const method = await getMethods(context, rollup, rows);
  return (row) => ({ ...derived(row), method: method(row) });
}

export function derived({ gasPrice, gasUsed, to, input }: Row) {
  // A transaction that creates a contract has no selector.
  const hasSelector = to !== null && typeof input === 'string' && input.length >= 8;
  return {
    fee: String(BigInt(text(gasPrice)) * BigInt(number(gasUsed))),
    selector: hasSelector ? `0x${input.slice(0, 8)}` : null,
  };
}

export const LOGS = view(
  records.evmLog,
  'evm_logs l JOIN evm_transactions t ON t.rollup = l.rollup AND t.number = l.number AND t.position = l.position',
  {
    ...{ index: 'l.log', block: 'l.number', transaction: 't.hash', dataBytes: 'l.data_size' },
    ...{ topic0: 'l.topic0', topic1: 'l.topic1', topic2: 'l.topic2', topic3: 'l.topic3' },
  },
);

/** @param rows Of {@link LOGS}. */
export async function logFacts(
  { contracts: { decoder } }: Pick<EvmContext, 'contracts'>,
  rollup: EvmRollup,
  rows: readonly Row[],
): Promise<ComputedOf<typeof records.evmLog>> {
  const known = new Map<Row, Computed<typeof records.evmLog.members>>();
  for (const row of rows) {
    const topics = [row.topic0, row.topic1, row.topic2, row.topic3].flatMap((each) =>
      typeof each === 'string' ? `0x${each}` : [],
    );
    const [address, data] = [text(row.address), `0x${text(row.data)}`];
    const isWhole = number(row.dataBytes) * 2 + 2 === data.length;
    const event = isWhole ? await decoder.log(rollup, { address, topics, data }) : undefined;
    known.set(row, { topics, event: event ?? null });
  }
  return (row) => known.get(row) ?? { topics: [], event: null };
}

export const TOKENS = view(records.token, 'evm_tokens k', { firstBlock: 'k.number', isExact: 'k.exact' });
const TOKEN_NAMES = view(records.tokenName, 'evm_tokens k');
export const OF_TOKEN = withPrefix('token.', TOKEN_NAMES);
/** The token of a row that has the columns {@link OF_TOKEN}. */
export const tokenFacts = (row: Row) => ({ token: TOKEN_NAMES.json(row, {}, undefined, 'token.') });

/** Joins the rows that belong to a transfer `x`. */
export const OF_TRANSFER = `JOIN evm_transactions t ON t.rollup = x.rollup AND t.number = x.number AND t.position = x.position
  JOIN evm_blocks e ON e.rollup = x.rollup AND e.number = x.number
  JOIN evm_tokens k ON k.rollup = x.rollup AND k.address = x.token`;
export const TRANSFERS = view(records.transfer, `evm_transfers x ${OF_TRANSFER}`, {
  ...{ block: 'x.number', time: 'e.time', transaction: 't.hash', logIndex: 'x.log' },
  ...{ from: 'x.sender', to: 'x.recipient', id: 'x.token_id' },
  ...{ ...OF_TOKEN, 'token.kind': 'x.kind' },
});
