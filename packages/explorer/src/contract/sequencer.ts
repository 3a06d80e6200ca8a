import type { Action } from '@switchyard/protocol';
import { schema } from '@switchyard/service/contract';
import { deposit, withdrawal } from './bridging.ts';
import * as column from './column.ts';
import { amount, layerPlace } from './common.ts';
import * as parameter from './parameters.ts';
import { get, INDEX_ERRORS, list, table } from './routes.ts';

/* Blocks, transactions and accounts of the sequencer. */

export const block = schema.record('Block', {
  height: column.integer('Height of the block'),
  hash: column.hash('Hash of the block'),
  time: column.timeOrNull,
  proposer: column.accountBytes('Address of the validator that proposed it'),
  size: column.integer('Bytes of its transactions'),
  transactions: column.integer('Transactions in it'),
  failed: column.integer('Transactions among them that failed'),
  submissions: column.integer("Users' bytes for rollups"),
  submissionBytes: column.integer('Bytes of the submissions'),
  deposits: column.integer('Deposits to rollups'),
  fees: column.json(schema.list(amount)),
  commit: schema.nullable(
    schema.object({
      round: schema.nullable(schema.integer('Round in which it was decided')),
      signed: schema.integer('Validators that signed it'),
      validators: schema.nullable(schema.integer('Validators at that height')),
    }),
  ),
  layer: schema.nullable(layerPlace),
});
export type Block = schema.TypeOf<typeof block>;

export const blockRollup = schema.record('BlockRollup', {
  rollup: column.hash('Id of a rollup with data in it'),
  name: column.rollupName,
  submissions: column.integer("Users' bytes for the rollup"),
  bytes: column.integer('Bytes of the submissions'),
  deposits: column.integer('Deposits to the rollup'),
});
export type BlockRollup = schema.TypeOf<typeof blockRollup>;

export const fullBlock = schema.record('FullBlock', {
  ...block.members,
  absent: column.joined(column.accountBytes('Address of a validator that did not sign it')),
  rollups: schema.list(blockRollup),
});

export const transaction = schema.record('Transaction', {
  hash: column.hash('Hash of the transaction'),
  height: column.integer('Height of its block'),
  position: column.integer('Position in its block'),
  time: column.timeOrNull,
  signer: column.account('Account that signed it'),
  nonce: column.integer('Nonce of the signer'),
  code: column.integer('0 where it succeeded, else the number of the reason'),
  reason: column.nullable(column.text('Reason why it failed')),
  size: column.integer('Bytes'),
  actionCount: column.integer('Actions in it'),
  kinds: column.joined(schema.text('Kind of some of its actions')),
  fees: column.json(schema.list(amount)),
});
export type Transaction = schema.TypeOf<typeof transaction>;

const named = schema.optional(schema.text('Account of the sequencer, in bech32m'));
const asset = schema.optional(schema.text('Name of the asset'));
const digits = schema.optional(schema.text('A whole number, as digits'));
const words = schema.optional(schema.text('Text of the action'));
const hex = schema.optional(schema.text('Hex digits'));
const kind = schema.text('Kind of the action, such as transfer');

type MemberOf<A> = A extends unknown ? keyof A : never;
/** Members of all kinds as `actionJson` has them, which puts size and hash in the place of data. */
const actionMembers = {
  ...{ kind, to: named, bridge: named, newAddress: named, sudo: named, withdrawer: named },
  ...{ newSudo: named, newWithdrawer: named, asset, feeAsset: asset },
  ...{ amount: digits, base: digits, multiplier: digits, power: digits, rollupBlockNumber: digits },
  ...{ destination: words, withdrawalEvent: words, memo: words, name: words, action: words, change: words },
  ...{ rollup: hex, publicKey: hex, hash: hex, bytes: schema.optional(schema.integer('Bytes of the data')) },
  disableDeposits: schema.optional(schema.flag('Whether the bridge account takes no more deposits')),
} satisfies Readonly<Record<Exclude<MemberOf<Action>, 'data'> | 'bytes' | 'hash', schema.Schema<unknown>>>;

/** A reader keeps members that it does not know. */
const action = schema.find<{ readonly kind: string }>(
  schema.object(actionMembers, { name: 'Action' }).json,
  (input) => ({
    ...input.object(),
    kind: kind.read(input.at('kind')),
  }),
);

export const fullTransaction = schema.record('FullTransaction', {
  ...transaction.members,
  actions: column.json(schema.list(action)),
});

/** Members that come from the node; without its answer there is `problem`. */
const holdings = {
  nonce: schema.nullable(schema.integer('Transactions of the account; null where the node does not answer')),
  balances: schema.nullable(schema.list(amount)),
  balancesAt: schema.optional(schema.u64('Height of the balances')),
  problem: schema.optional(schema.text('Why something is missing in this answer')),
};

export const account = schema.record('Account', {
  address: column.account('Address of the account'),
  account: column.accountBytes('Bytes of the address'),
  transactions: column.integer('Transactions that touch it'),
  firstHeight: column.nullable(column.integer('Block with the first of them')),
  lastHeight: column.nullable(column.integer('Block with the last of them')),
  isValidator: schema.flag('Whether it is the address of a validator'),
  bridge: schema.nullable(
    schema.object({
      rollup: column.hash('Id of the rollup that it bridges to'),
      name: column.rollupName,
      asset: column.text('Asset that it takes'),
    }),
  ),
  ...holdings,
});

export const bridge = schema.record('Bridge', {
  address: column.account('Address of the bridge account'),
  rollup: column.hash('Id of the rollup that it bridges to'),
  name: column.rollupName,
  asset: column.text('Asset that it takes'),
  height: column.integer('Block in which it is first seen'),
  transaction: column.nullable(column.hash('Transaction that made it a bridge account; null for one of genesis')),
  deposits: column.integer('Deposits to the rollup through it'),
  withdrawals: column.integer('Withdrawals from the rollup that it paid'),
  sudo: schema.optional(schema.text('Account that may change its roles')),
  withdrawer: schema.optional(schema.text('Account that may take from it')),
  ...holdings,
});
export type Bridge = schema.TypeOf<typeof bridge>;

export const validator = schema.record('Validator', {
  address: column.accountBytes('Address of the validator'),
  publicKey: column.hash('Ed25519 key that it signs with'),
  power: column.digits('Its votes, decimal digits', 20),
  active: column.flag('Whether it is among the validators now'),
  proposed: column.integer('Blocks that it proposed'),
  signed: column.integer('Blocks that it signed'),
  missed: column.integer('Blocks that it did not sign'),
});
export type Validator = schema.TypeOf<typeof validator>;

const point = schema.integer('Number of the point');

export const chartPoint = schema.record('ChartPoint', {
  point: column.integer('Number of the point'),
  height: column.integer('The newest block of the point'),
  time: column.timeOrNull,
  blocks: column.integer('Blocks of the point'),
  blockTimeMs: schema.nullable(schema.integer('Average time from block to block; null for the first block')),
  transactions: column.integer('Transactions in them'),
  failed: column.integer('Transactions among them that failed'),
  bytes: column.integer('Bytes of the transactions'),
  submissions: column.integer("Users' bytes for rollups"),
  submissionBytes: column.integer('Bytes of the submissions'),
  deposits: column.integer('Deposits to rollups'),
  fees: schema.list(amount),
});

const rollupOfChart = {
  rollup: schema.text('Id of the rollup', { pattern: '^[0-9a-f]{64}$' }),
  name: column.rollupName,
};
// Below zero if the clocks of two machines differ.
const lagMs = (description: string) => schema.integer(description, { min: Number.MIN_SAFE_INTEGER });

export const charts = schema.record('Charts', {
  blocksPerPoint: schema.integer('Blocks of a whole point'),
  points: schema.list(chartPoint),
  rollups: schema.list(
    schema.record('ChartShare', {
      ...rollupOfChart,
      bytes: schema.integer('Bytes of all points'),
      points: schema.list(
        schema.object({
          point,
          bytes: schema.integer('Bytes of the rollup'),
          submissions: schema.integer('Transactions of the rollup'),
        }),
      ),
    }),
  ),
  lag: schema.list(
    schema.record('ChartLag', {
      ...rollupOfChart,
      points: schema.list(schema.object({ point, averageMs: lagMs('The average'), maxMs: lagMs('The most') })),
    }),
  ),
});
export type Charts = schema.TypeOf<typeof charts>;

const ofAccount = { path: { address: parameter.account } };

export const sequencer = table('Sequencer', {
  listBlocks: list('/v1/blocks', 'Blocks, newest first', block),
  getBlock: get('/v1/blocks/{block}', 'One block, by height or hash, with what each rollup has in it', fullBlock, {
    path: { block: parameter.block },
    errors: { 404: 'No such block in the index', ...INDEX_ERRORS },
  }),
  listTransactions: list('/v1/transactions', 'Transactions, newest first', transaction),
  listBlockTransactions: list(
    '/v1/blocks/{height}/transactions',
    'Transactions of a block, in its order',
    transaction,
    { path: { height: schema.integer('Height of the block') } },
  ),
  listAccountTransactions: list(
    '/v1/accounts/{address}/transactions',
    'Transactions that touch an account, newest first',
    transaction,
    ofAccount,
  ),
  getTransaction: get('/v1/transactions/{hash}', 'One transaction, with the first 64 of its actions', fullTransaction, {
    path: { hash: parameter.hash },
    errors: { 404: 'No such transaction in the index', ...INDEX_ERRORS },
  }),
  getAccount: get('/v1/accounts/{address}', 'One account: what it has now, and what it is', account, {
    ...ofAccount,
    errors: INDEX_ERRORS,
  }),
  listBridges: list('/v1/bridges', 'Bridge accounts, newest first, with what they hold now', bridge),
  getBridge: get('/v1/bridges/{address}', 'One bridge account, with what it holds now', bridge, {
    ...ofAccount,
    errors: { 404: 'The account is no bridge account in the index', ...INDEX_ERRORS },
  }),
  listValidators: get(
    '/v1/validators',
    'Validators, the most powerful first, at most 1,000',
    schema.record('Validators', { validators: schema.list(validator) }),
    { errors: INDEX_ERRORS },
  ),
  getCharts: get(
    '/v1/charts',
    'Block time, transactions, fees, and what each rollup has of them, oldest first',
    charts,
    {
      query: { blocks: schema.optional(schema.words('How many of the newest blocks', '100', '1000', '10000'), '100') },
      errors: INDEX_ERRORS,
    },
  ),
  listAccountDeposits: list(
    '/v1/accounts/{address}/deposits',
    'Deposits that an account made or, as a bridge account, took, newest first',
    deposit,
    ofAccount,
  ),
  listAccountWithdrawals: list(
    '/v1/accounts/{address}/withdrawals',
    'Withdrawals that an account got or, as a bridge account, paid, newest first',
    withdrawal,
    ofAccount,
  ),
});
