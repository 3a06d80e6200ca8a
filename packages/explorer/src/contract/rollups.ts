import { schema } from '@switchyard/service/contract';
import { balanceSheet, deposit, withdrawal } from './bridging.ts';
import * as column from './column.ts';
import { layerPlace } from './common.ts';
import * as parameter from './parameters.ts';
import { get, INDEX_ERRORS, items, list, NODE_ERRORS, table } from './routes.ts';

/* Rollups as the sequencer has them and, if they are followed, as their nodes have them. */

export const rollup = schema.record('Rollup', {
  rollup: column.hash('Id of the rollup'),
  name: column.rollupName,
  kind: schema.nullable(schema.words('Kind of API that its node has; null if no node is followed', 'evm', 'framework')),
  offers: schema.nullable(
    schema.record('Offers', {
      paths: schema.list(
        schema.text('Path of a JSON answer to GET, with parameters in braces', { examples: ['/v1/total'] }),
      ),
      views: schema.list(
        schema.record('View', {
          name: schema.text('Name below `/v1/rollups/{rollup}/views/`'),
          summary: schema.text('Summary of it'),
        }),
      ),
    }),
  ),
  firstHeight: column.nullable(column.integer('The first sequencer block with data of it')),
  lastHeight: column.nullable(column.integer('The last sequencer block with data of it')),
  submissions: column.integer("Users' bytes for it"),
  bytes: column.integer('Bytes of the submissions'),
  deposits: column.integer('Deposits to it'),
  /** Null if no withdrawer is configured, and while it has none. */
  sheet: schema.nullable(balanceSheet),
  node: schema.nullable(
    schema.record('RollupNode', {
      url: schema.text('Queried address'),
      chainId: schema.text('Chain id of the rollup'),
      soft: schema.integer('Its newest block'),
      firm: schema.nullable(schema.integer('Its newest final block')),
      firmLayerHeight: schema.nullable(
        schema.integer('Block of the data-availability layer in which it was found; null if unknown'),
      ),
      indexed: schema.integer('The newest block in the index'),
      problem: schema.nullable(schema.text('Why it is not read further')),
      awaySince: column.timeOrNull,
    }),
  ),
});
export type Rollup = schema.TypeOf<typeof rollup>;

export const rollupBlock = schema.record('RollupBlock', {
  number: column.integer('Number of the block'),
  hash: column.hash('Hash of the block'),
  time: column.timeOrNull,
  seen: column.timeOrNull,
  sequencerHeight: column.nullable(
    column.integer('The sequencer block that it was made from; null while the index does not have it'),
  ),
  sequencerBlockHash: column.hash('Hash of that block'),
  isFirm: schema.nullable(schema.flag('Whether the rollup calls it final; null where its node does not state it')),
  layer: schema.nullable(layerPlace),
  executed: column.integer('Transactions that were executed'),
  refused: column.integer('Transactions that were refused'),
  deposits: column.integer('Deposits that were credited'),
  skippedDeposits: column.integer('Deposits that were refused'),
});
export type RollupBlock = schema.TypeOf<typeof rollupBlock>;

export const refusal = schema.record('RollupRefusal', {
  position: column.integer('Position of the transaction in the block'),
  hash: column.hash('Hash of the transaction'),
  code: column.integer('Number of the reason'),
  reason: column.text('Why it was refused'),
});
export type Refusal = schema.TypeOf<typeof refusal>;

export const fullRollupBlock = schema.record('FullRollupBlock', {
  ...rollupBlock.members,
  refusals: schema.list(refusal),
});

/** One user's bytes in a block of the sequencer, with their outcome on the rollup. */
export const submission = schema.record('Submission', {
  hash: column.hash('Hash of the bytes'),
  rollup: column.hash('Id of the rollup'),
  name: column.rollupName,
  size: column.integer('Bytes'),
  position: column.integer('Position among those of its rollup in the block'),
  state: schema.words(
    'unclear: in a block with more refusals than its node names',
    ...(['sequenced', 'unclear', 'refused', 'executed', 'firm'] as const),
  ),
  bundle: schema.object({
    hash: column.nullable(column.hash('Hash of the sequencer transaction that carried it')),
    signer: column.account('Account that signed that transaction'),
    position: column.nullable(column.integer('Position of that transaction in its block')),
  }),
  sequencer: schema.object({
    height: column.integer('Height of its block'),
    hash: column.hash('Hash of its block'),
    time: column.timeOrNull,
  }),
  execution: schema.nullable(
    schema.object({
      block: column.integer('Number of the rollup block'),
      hash: column.hash('Hash of the rollup block'),
      time: column.timeOrNull,
      seen: column.timeOrNull,
      isFirm: schema.flag('Whether the block is final'),
      code: column.nullable(column.integer('Why it was refused: number of the reason')),
      reason: column.given('Why it was refused'),
    }),
  ),
});
export type Submission = schema.TypeOf<typeof submission>;

const content = schema.record('Content', {
  hash: column.hash('Hash of the bytes'),
  height: schema.integer('Height of the sequencer block that holds them'),
  bytes: schema.text('The bytes as the sequencer has them', { pattern: '^([0-9a-f]{2})*$' }),
  decoded: schema.json('Signer, nonce, chain and actions as a node of the rollup reads them; null where it cannot'),
});

const merkle = schema.record('MerkleProof', {
  path: schema.list(column.hash('Hash of a neighbour, from the leaf up')),
  index: schema.integer('Index of the leaf'),
  leaves: schema.integer('Leaves of the tree'),
});

const proof = schema.record('InclusionProof', {
  chainId: schema.text('Chain id of the sequencer'),
  height: schema.integer('Height of the block'),
  rollup: column.hash('Id of the rollup'),
  data: schema.text('Data that is proved to be in the block', { pattern: '^([0-9a-f]{2})*$' }),
  dataProof: merkle,
  dataRoot: column.hash('Root over the data of the rollup'),
  rollupProof: merkle,
  rollupTransactionsRoot: column.hash('Root over those of all rollups'),
  entryProof: merkle,
  signedHeader: schema.text("CometBFT's SignedHeader in protobuf", { pattern: '^([0-9a-f]{2})*$' }),
  validators: schema.list(
    schema.object({
      publicKey: column.hash('Ed25519'),
      power: schema.text('Its votes', { pattern: '^[0-9]{1,20}$' }),
    }),
  ),
});

/** A sequencer block as a reader of one rollup needs it, to check the answers of a node of the rollup. */
const evidence = schema.record('SequencerEvidence', {
  chainId: schema.text('Chain id of the sequencer'),
  height: schema.integer('Height of the block'),
  rollup: column.hash('Id of the rollup'),
  data: schema.nullable(
    schema.record('RollupDataProof', {
      dataRoot: column.hash('Root over the data of the rollup'),
      rollupProof: merkle,
      rollupTransactionsRoot: column.hash('Root over those of all rollups'),
      entryProof: merkle,
    }),
  ),
  absent: schema.nullable(
    schema.record('RollupAbsence', {
      rollups: schema.list(column.hash('Id of a rollup that the block has data of')),
      entryProof: merkle,
    }),
  ),
  signedHeader: proof.members.signedHeader,
  validators: proof.members.validators,
});

/** Everything that a page needs to check and execute blocks of a rollup on its own. */
export const signedBlocks = schema.record('SignedBlocks', {
  blocks: schema.list(
    schema.record('SignedBlock', {
      block: schema.text(
        '`astria.sequencerblock.v1.FilteredSequencerBlock` in protobuf: all data of the rollup, with proofs',
        {
          pattern: '^([0-9a-f]{2})*$',
        },
      ),
      signedHeader: proof.members.signedHeader,
    }),
  ),
  validators: schema.list(proof.members.validators),
  newest: schema.integer('Height of the newest block of the sequencer'),
});
export type SignedBlocks = schema.TypeOf<typeof signedBlocks>;

const path = { rollup: parameter.rollup };
const ofRollup = { path, errors: { 404: 'No such rollup is followed' } };
const passed = schema.json('Answer of the node of the rollup; its own document describes it');
const passedErrors = { 404: 'No node of this rollup is followed, or it has no such thing', ...NODE_ERRORS };
export const rollups = table('Rollups', {
  listRollups: list('/v1/rollups', 'Rollups, those with the newest data first', rollup),
  getRollup: get('/v1/rollups/{rollup}', 'How much data a rollup has, and the state of its node', rollup, {
    path,
    errors: { 404: 'No such rollup in the index', ...INDEX_ERRORS },
  }),
  listRollupBlocks: list('/v1/rollups/{rollup}/blocks', 'Blocks of a rollup, newest first', rollupBlock, ofRollup),
  getRollupBlock: get(
    '/v1/rollups/{rollup}/blocks/{number}',
    'One block of a rollup, with the first 1,000 refusals in it',
    fullRollupBlock,
    {
      path: { ...path, number: schema.integer('Number of the block') },
      errors: { 404: 'No such block in the index', ...INDEX_ERRORS },
    },
  ),
  listRollupTransactions: list(
    '/v1/rollups/{rollup}/transactions',
    'Transactions of a rollup, newest first',
    submission,
    ofRollup,
  ),
  getRollupTransaction: get(
    '/v1/rollups/{rollup}/transactions/{hash}',
    'One transaction of a rollup, in each place with its bytes, oldest first',
    items('Submissions', submission),
    { path: { ...path, hash: parameter.hash }, errors: { 404: 'No such transaction in the index', ...INDEX_ERRORS } },
  ),
  getRollupTransactionContent: get(
    '/v1/rollups/{rollup}/transactions/{hash}/content',
    'The bytes of a transaction of a rollup, and what they mean',
    content,
    { path: { ...path, hash: parameter.hash }, errors: { 404: 'No such transaction in the index', ...NODE_ERRORS } },
  ),
  listRollupDeposits: list('/v1/rollups/{rollup}/deposits', 'Deposits to a rollup, newest first', deposit, ofRollup),
  listRollupWithdrawals: list(
    '/v1/rollups/{rollup}/withdrawals',
    'Withdrawals from a rollup that its bridge accounts paid, newest first',
    withdrawal,
    ofRollup,
  ),
  getRollupView: get(
    '/v1/rollups/{rollup}/views/{view}',
    'Answer of the node of a rollup to a GET below `/v1`: a query, a part of its state, its events',
    passed,
    {
      path: { ...path, view: schema.text('Path below `/v1`, with its query parameters', { examples: ['total'] }) },
      restOfPath: true,
      takesAnyQuery: true,
      description:
        '`offers.paths` of a rollup has what its node answers, `offers.views` those without parameters in the path',
      errors: passedErrors,
    },
  ),
});

/** Apart from the others: pages read it without its contract. */
export const signed = table('Rollups', {
  getInclusionProof: get(
    '/v1/rollups/{rollup}/proof/{height}/{position}',
    'The proof that data of a rollup is in a signed block of the sequencer',
    proof,
    {
      path: {
        ...path,
        height: schema.integer('Height of the block'),
        position: schema.integer('Position among the data of the rollup in the block'),
      },
      errors: { 404: 'No such block or data', ...NODE_ERRORS },
    },
  ),
  getSequencerEvidence: get(
    '/v1/rollups/{rollup}/evidence/{height}',
    'The signed header of a sequencer block, with the root of the data that a rollup has in it',
    evidence,
    {
      path: { ...path, height: schema.integer('Height of the block', { min: 1 }) },
      description: 'Either `data` or `absent` is null: the second proves that the block has no data of the rollup',
      errors: { 404: 'No such block', ...NODE_ERRORS },
    },
  ),
  getSignedBlocks: get(
    '/v1/rollups/{rollup}/signed-blocks',
    'Signed blocks of the sequencer in order, with all data of a rollup and the sets of validators that signed',
    signedBlocks,
    {
      path,
      query: {
        from: schema.integer('Height of the first block', { min: 1 }),
        limit: schema.optional(schema.integer('Blocks of the answer', { min: 1, max: 100 }), 100),
      },
      description: 'Fewer blocks than `limit` if these are newest, or 4 MiB are reached; none behind the newest',
      errors: { 404: 'No such rollup is followed, or no such block', ...NODE_ERRORS },
    },
  ),
});
