import { schema } from '@switchyard/service/contract';
import * as column from './column.ts';
import { layerPlace } from './common.ts';
import { argument, compilers, contract, contractItem, network, verificationState } from './evm-contracts.ts';
import * as parameter from './parameters.ts';
import { get as anyGet, list as anyList, type ListOptions, type Options, table } from './routes.ts';

/* EVM rollups that are followed. */

export const evmBlock = schema.record('EvmBlock', {
  number: column.integer('Number of the block'),
  hash: column.hexHash('Hash of the block'),
  parentHash: column.hexHash('Hash of the block before'),
  time: column.time,
  transactions: column.integer('Transactions in it'),
  gasUsed: column.integer('Gas of its transactions'),
  gasLimit: column.integer('Gas that it may have'),
  baseFee: column.amount('Wei for each unit of gas'),
  size: column.integer('Bytes'),
  deposits: column.integer('Deposits that were credited'),
  sequencerBlockHash: column.hexHash('Hash of the sequencer block that it was made from'),
  sequencerHeight: column.nullable(column.integer('Height of that block; null while the index does not have it')),
  isFirm: schema.nullable(schema.flag('Whether it is final; null where its node does not state it')),
  layer: schema.nullable(layerPlace),
});
export type EvmBlock = schema.TypeOf<typeof evmBlock>;

const method = schema.nullable(schema.text('Name of the function that the selector stands for, if it is known'));
const selector = schema.nullable(column.hex('First four bytes of the input'));

export const evmTransaction = schema.record('EvmTransaction', {
  hash: column.hexHash('Hash of the transaction'),
  block: column.integer('Number of its block'),
  index: column.integer('Position in the block'),
  time: column.time,
  from: column.address('Sender'),
  to: column.nullable(column.address('Contract or account that it calls; null where it creates a contract')),
  created: column.nullable(column.address('The contract that it was to create')),
  value: column.amount('Wei'),
  fee: column.plain(column.amount('Wei that it paid')),
  gasUsed: column.integer('Gas'),
  status: column.integer('1 where it succeeded, 0 where it failed', { max: 1 }),
  type: column.integer('EIP-2718', { max: 127 }),
  nonce: column.integer('Nonce of the sender'),
  selector,
  method,
});
export type EvmTransaction = schema.TypeOf<typeof evmTransaction>;

export const decoded = schema.record('EvmDecoded', {
  name: schema.text('Name of the function, event or error'),
  signature: schema.text('The name with the types of its parameters'),
  arguments: schema.list(argument),
});
export type Decoded = schema.TypeOf<typeof decoded>;

export const evmLog = schema.record('EvmLog', {
  index: column.integer('Position among the logs of the block'),
  block: column.integer('Number of its block'),
  transaction: column.hexHash('Hash of its transaction'),
  address: column.address('The contract that emitted it'),
  topics: schema.list(column.hexHash('Topic')),
  data: column.hex('The first 8,192 bytes of its data'),
  dataBytes: column.integer('Bytes of its data'),
  event: schema.nullable(decoded),
});
export type EvmLog = schema.TypeOf<typeof evmLog>;

const tokenMembers = {
  address: column.address('The contract'),
  kind: column.words('Standard', 'erc20', 'erc721', 'erc1155'),
  name: column.given('Name that its contract answers, cut after 100 characters'),
  symbol: column.given('Symbol that its contract answers, cut after 32 characters'),
  decimals: column.nullable(column.integer('Decimals that its contract answers', { max: 255 })),
};

/** Facts of a token that transfers and holdings show. */
export const tokenName = schema.record('EvmTokenName', tokenMembers);

export const token = schema.record('EvmToken', {
  ...tokenMembers,
  supply: column.nullable(column.amount('Total supply that its contract answers')),
  holders: column.integer('Addresses that hold some of it'),
  transfers: column.integer('Transfers that its logs report'),
  firstBlock: column.integer('Block of the first of them'),
  isExact: column.flag('Whether its logs add up to the balances that its contract answers, if compared'),
});
export type Token = schema.TypeOf<typeof token>;
export type TokenName = schema.TypeOf<typeof tokenName>;

export const transfer = schema.record('EvmTokenTransfer', {
  block: column.integer('Number of its block'),
  time: column.time,
  transaction: column.hexHash('Hash of its transaction'),
  logIndex: column.integer('Position of its log among those of the block'),
  item: column.integer('Position among the transfers of the log'),
  token: tokenName,
  from: column.address('Sender; zero if it was minted'),
  to: column.address('Recipient; zero if it was burned'),
  id: column.nullable(column.amount('Id of the item; null for ERC-20')),
  amount: column.amount('Smallest units; 1 for ERC-721'),
});
export type Transfer = schema.TypeOf<typeof transfer>;

export const valueCall = schema.record('EvmValueCall', {
  block: column.integer('Number of its block'),
  transaction: column.hexHash('Hash of its transaction'),
  type: schema.words('Kind of the call', 'CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'),
  depth: column.integer('1 for calls of the called contract itself'),
  from: column.address('Caller'),
  to: column.address('Contract or account that it called or created'),
  value: column.amount('Wei'),
});
export type ValueCall = schema.TypeOf<typeof valueCall>;

const authorization = schema.record('EvmAuthorization', {
  chainId: column.amount('0 for any chain'),
  address: column.address('Contract whose code the account is to have'),
  nonce: column.amount('Nonce of the account'),
});

export const fullEvmTransaction = schema.record('EvmTransactionInFull', {
  ...evmTransaction.members,
  isFirm: schema.flag('Whether its block is final'),
  submission: column.hash('SHA-256 of its bytes: its hash on the side of the sequencer'),
  gasLimit: column.integer('Gas that it may use'),
  gasPrice: column.amount('Wei that it paid for each unit of gas'),
  maxFee: column.nullable(column.amount('Wei for each unit of gas, at most')),
  maxTip: column.nullable(column.amount('Wei of these above the base fee, at most')),
  input: column.hex('The first 4,096 bytes of its input'),
  inputBytes: column.integer('Bytes of its input'),
  call: schema.nullable(decoded),
  revertReason: schema.nullable(
    schema.record('EvmRevert', {
      data: column.hex('Data that it reverted with'),
      error: schema.nullable(decoded),
      message: schema.text('Why it failed'),
    }),
  ),
  logs: schema.list(evmLog),
  logCount: column.integer('Logs in all; the list has the first 200'),
  tokenTransfers: schema.list(transfer),
  internalCalls: column.nullable(
    column.integer('Calls in it that moved value, and creations; null where the node does not report them'),
  ),
  authorizations: schema.nullable(schema.list(authorization)),
  problem: schema.nullable(schema.text('Why something is missing in this answer')),
});
export type FullEvmTransaction = schema.TypeOf<typeof fullEvmTransaction>;

/** A call of a transaction, or of a call in it, as `callTracer` reports it. */
export const call = schema.record('EvmCall', {
  path: schema.list(schema.integer('Position among the calls of its caller')),
  depth: schema.integer('0 for the transaction itself'),
  type: schema.text('CALL, STATICCALL, DELEGATECALL, CALLCODE, CREATE, CREATE2 or SELFDESTRUCT'),
  from: column.address('Caller'),
  to: schema.nullable(column.address('Contract or account that it called or created; null where creating failed')),
  value: column.amount('Wei'),
  gas: schema.integer('Gas that it had'),
  gasUsed: schema.integer('Gas that it used'),
  input: column.hex('The first 1,024 bytes of its input'),
  inputBytes: schema.integer('Bytes of its input'),
  output: column.hex('The first 1,024 bytes of its output'),
  error: schema.nullable(schema.text('Why it failed')),
  selector,
  method,
});
export type Call = schema.TypeOf<typeof call>;

export const evmAddress = schema.record('EvmAddress', {
  address: column.address('The address'),
  balance: schema.nullable(column.amount('Wei now; null where the node does not answer')),
  nonce: schema.nullable(schema.integer('Transactions that it sent, or contracts that it created')),
  isContract: schema.flag('Whether it has code'),
  creator: column.nullable(column.address('Creator; null if it is no contract, or one of genesis')),
  creationTransaction: column.nullable(column.hexHash('Transaction in which it was created')),
  token: schema.nullable(token),
  verified: schema.flag('Whether its source is known'),
  name: schema.nullable(schema.text('Name of the contract in its source, or of the token')),
  transactions: column.integer('Transactions from it, to it, or that created it'),
  internalCalls: column.integer('Calls in transactions that moved value from it or to it, or created it'),
  tokenTransfers: column.integer('Transfers of tokens from it or to it'),
  deposits: column.integer('Deposits to it'),
  firstBlock: column.nullable(column.integer('Block in which it is first seen')),
  lastBlock: column.nullable(column.integer('Block in which it is last seen')),
  problem: schema.nullable(schema.text('Why something is missing in this answer')),
});
export type EvmAddress = schema.TypeOf<typeof evmAddress>;

const accountPoint = schema.record('EvmAccountPoint', {
  block: schema.integer('Number of the block'),
  time: column.time,
  balance: column.amount('Wei after the block'),
  nonce: schema.integer('Nonce after the block'),
});

export const evmDeposit = schema.record('EvmDeposit', {
  block: column.integer('Number of the block'),
  index: column.integer('Position among the deposits of the block'),
  time: column.time,
  address: column.address('Address that was credited'),
  amount: column.amount('Wei'),
  sequencerHeight: column.nullable(
    column.integer('The sequencer block with the deposit; null while the index does not have it'),
  ),
});
export type EvmDeposit = schema.TypeOf<typeof evmDeposit>;

export const holding = schema.record('EvmHolding', {
  token: tokenName,
  balance: column.sortable('Smallest units, or items of an NFT'),
  isExact: column.flag('Whether the logs of the token add up, as in its own answer'),
});
export type Holding = schema.TypeOf<typeof holding>;

export const holder = schema.record('EvmHolder', {
  address: column.address('The holder'),
  balance: column.sortable('Smallest units, or items of an NFT'),
});
export type Holder = schema.TypeOf<typeof holder>;

export const tokenItem = schema.record('EvmItem', {
  id: column.sortable('Id of the item'),
  owner: column.address('Owner of the item'),
  amount: column.sortable('1 for ERC-721'),
});
export type TokenItem = schema.TypeOf<typeof tokenItem>;

export const withdrawalPaid = schema.record('EvmWithdrawalPaid', {
  transaction: column.hash('Hash of the sequencer transaction'),
  height: column.integer('Height of its block'),
  amount: column.digits('In the smallest unit of the asset', 39),
  asset: column.text('Name of the asset on the sequencer'),
});

export const evmWithdrawal = schema.record('EvmWithdrawal', {
  block: column.integer('Number of its block'),
  logIndex: column.integer('Position of its log among those of the block'),
  time: column.time,
  transaction: column.plain(column.hexHash('Hash of its transaction')),
  contract: column.address('The contract that emitted it'),
  sender: column.address('Account that withdraws'),
  kind: column.words('To an account of the sequencer, or over IBC', 'sequencer', 'ics20'),
  amount: column.amount('Wei, or the smallest unit of a token'),
  destination: column.text('Receiver as given'),
  paid: schema.nullable(withdrawalPaid),
});
export type EvmWithdrawal = schema.TypeOf<typeof evmWithdrawal>;

export const evmChartPoint = schema.record('EvmChartPoint', {
  block: column.integer('The newest block of the point'),
  blocks: column.integer('Blocks of the point'),
  time: column.time,
  transactions: column.integer('Transactions in them'),
  gasUsed: column.integer('Gas of these'),
  gasLimit: column.integer('Gas that the blocks may have'),
  baseFee: column.amount('Wei for each unit of gas in the newest block'),
  blockTimeMs: schema.nullable(schema.integer('Average time from block to block; null for the first one')),
});
export type EvmChartPoint = schema.TypeOf<typeof evmChartPoint>;

const ofRollup = { rollup: parameter.rollup };
const NOT_FOLLOWED = { 404: 'No such EVM rollup is followed' };

/** @param url Below that of the rollup. */
const get = <
  T,
  const P extends schema.Members = Record<never, never>,
  const Q extends schema.Members = Record<never, never>,
>(
  url: string,
  summary: string,
  answer: schema.Schema<T>,
  { path, errors = NOT_FOLLOWED, ...options }: Options<P, Q> = {},
) =>
  anyGet<T, typeof ofRollup & P, Q>(`/v1/rollups/{rollup}/evm${url}`, summary, answer, {
    ...options,
    errors,
    path: { ...ofRollup, ...(path as P) },
  });

const list = <M extends schema.Members, const P extends schema.Members = Record<never, never>>(
  url: string,
  summary: string,
  item: schema.RecordOf<M>,
  { path, ...options }: ListOptions<P> = {},
) =>
  anyList<M, typeof ofRollup & P>(`/v1/rollups/{rollup}/evm${url}`, summary, item, {
    errors: { ...NOT_FOLLOWED, 503: 'It has not answered yet, or the index does not' },
    ...options,
    path: { ...ofRollup, ...(path as P) },
  });

const ofAddress = { path: { address: parameter.evmAddress } };
const hash = { hash: parameter.hash };
const NO_TRANSACTION = { 404: 'No such transaction in the index' };
const traced = {
  path: hash,
  errors: { ...NO_TRANSACTION, 502: 'The node cannot execute it again', 503: 'The node does not answer' },
};
const isCut = schema.flag('Whether there are more calls');

export const evm = table('EVM', {
  listEvmBlocks: list('/blocks', 'Blocks, newest first', evmBlock),
  getEvmBlock: get('/blocks/{block}', 'One block, by number or hash', evmBlock, {
    path: { block: parameter.block },
    errors: { 404: 'No such block in the index' },
  }),
  listEvmBlockTransactions: list(
    '/blocks/{block}/transactions',
    'Transactions of a block, in its order',
    evmTransaction,
    {
      path: { block: schema.integer('Number of the block') },
    },
  ),
  listEvmTransactions: list('/transactions', 'Transactions, newest first', evmTransaction),
  getEvmTransaction: get(
    '/transactions/{hash}',
    'One transaction, with its logs, token transfers, and what its input means',
    fullEvmTransaction,
    { path: hash, errors: NO_TRANSACTION },
  ),
  getEvmTrace: get(
    '/transactions/{hash}/trace',
    'All calls of a transaction, which the node executes again for this: the first 1,000',
    schema.record('EvmTrace', { calls: schema.list(call), isCut }),
    traced,
  ),
  listEvmInternalCalls: get(
    '/transactions/{hash}/internal',
    'Calls of a transaction beyond itself: the first 999 calls',
    schema.record('EvmInternalCalls', { items: schema.list(call), isCut }),
    traced,
  ),
  getEvmAddress: get('/addresses/{address}', 'One address: what it has now, and what it is', evmAddress, ofAddress),
  getEvmAddressHistory: get(
    '/addresses/{address}/history',
    'Balance and nonce after the newest blocks in which the address took part, oldest first',
    schema.record('EvmAccountHistory', { points: schema.list(accountPoint) }),
    {
      ...ofAddress,
      description: 'Without those whose state the node no longer has',
      query: { points: schema.optional(schema.integer('Blocks, at most', { min: 1, max: 100 }), 50) },
      errors: { ...NOT_FOLLOWED, 502: 'The node refuses', 503: 'The node does not answer' },
    },
  ),
  listEvmAddressTransactions: list(
    '/addresses/{address}/transactions',
    'Transactions from an address, to it, or that created it, newest first',
    evmTransaction,
    ofAddress,
  ),
  listEvmAddressInternalCalls: list(
    '/addresses/{address}/internal',
    'Calls in transactions that moved value from an address or to it, or created it, newest first',
    valueCall,
    {
      ...ofAddress,
      description: 'Absent for a rollup whose node executes by a stock client, which does not report them',
    },
  ),
  listEvmAddressLogs: list('/addresses/{address}/logs', 'Logs of a contract, newest first', evmLog, ofAddress),
  listEvmAddressTokenTransfers: list(
    '/addresses/{address}/token-transfers',
    'Transfers of tokens from an address or to it, newest first',
    transfer,
    ofAddress,
  ),
  listEvmAddressTokens: list(
    '/addresses/{address}/tokens',
    'Tokens that an address holds, by address of the token',
    holding,
    ofAddress,
  ),
  listEvmAddressDeposits: list(
    '/addresses/{address}/deposits',
    'Deposits from the sequencer that were credited to an address, newest first',
    evmDeposit,
    ofAddress,
  ),
  getEvmToken: get('/tokens/{address}', 'One token', token, {
    ...ofAddress,
    errors: { 404: 'No such token in the index' },
  }),
  listEvmTokens: list('/tokens', 'Tokens, those with the most transfers first', token),
  listEvmTokenHolders: list(
    '/tokens/{address}/holders',
    'Holders of a token, the greatest one first',
    holder,
    ofAddress,
  ),
  listEvmTokenTransfers: list('/tokens/{address}/transfers', 'Transfers of a token, newest first', transfer, ofAddress),
  listEvmTokenItems: list('/tokens/{address}/items', 'Items of an NFT with their owners, by id', tokenItem, ofAddress),
  listEvmContracts: list('/contracts', 'Verified contracts, newest first', contractItem, { page: 'EvmContractPage' }),
  getEvmVerification: get('/contracts/verify/{job}', 'The state of a verification', verificationState, {
    path: { job: schema.text('Its id', { maxLength: 64 }) },
    errors: { 404: 'No such verification is remembered' },
  }),
  getEvmContract: get('/contracts/{address}', 'Sources, ABI and proxy of a contract', contract, {
    ...ofAddress,
    errors: { ...NOT_FOLLOWED, 503: 'The node of the rollup does not answer' },
  }),
  listEvmCompilers: anyGet('/v1/evm/compilers', 'Compilers that contracts can be verified with', compilers),
  getEvmNetwork: get('/network', 'Facts of the rollup for a wallet', network),
  listEvmWithdrawals: list(
    '/withdrawals',
    'Withdrawals that contracts report, newest first, with what a bridge account paid',
    evmWithdrawal,
  ),
  listEvmAddressWithdrawals: list(
    '/addresses/{address}/withdrawals',
    'Withdrawals of an address, newest first',
    evmWithdrawal,
    ofAddress,
  ),
  getEvmCharts: get(
    '/charts',
    'Gas, base fee, transactions and block time of the newest blocks, oldest first',
    schema.record('EvmCharts', { points: schema.list(evmChartPoint) }),
    {
      query: {
        points: schema.optional(schema.integer('Points, at most', { min: 1, max: 200 }), 100),
        blocks: schema.optional(schema.integer('How many of the newest blocks', { min: 1, max: 10_000 }), 1_000),
      },
    },
  ),
});
