import { schema } from '@switchyard/service/api';
import { findSubmissionPlaces } from '../sequencer/hash-runs.ts';
import type { Row } from '../store/store.ts';
import { number, numberOrNull, text, textOrNull, timeOrNull } from './cells.ts';
import { type ApiContext, followed, rollupName } from './context.ts';
import * as form from './schemas.ts';

/** One user's bytes in a block of the sequencer, with what the rollup made of them. */
export const SUBMISSION_COLUMNS = `s.rollup, s.height, s.position, s.hash, s.size, b.time, b.hash AS block_hash,
  t.hash AS bundle, t.signer, t.position AS bundle_position, r.number, r.hash AS rollup_hash, r.time AS rollup_time, r.seen, r.refused,
  f.code, f.reason`;
export const SUBMISSIONS = `submissions s JOIN blocks b ON b.height = s.height
  LEFT JOIN transactions t ON t.height = s.height AND t.position = s.transaction_position
  LEFT JOIN rollup_blocks r ON r.rollup = s.rollup AND r.sequencer_hash = b.hash
  LEFT JOIN refusals f ON f.rollup = s.rollup AND f.number = r.number AND f.position = s.position`;

const MAX_NAMED_REFUSALS = 256;

export const submissionMembers = {
  hash: form.hash('Of the bytes'),
  rollup: form.hash('Id of the rollup'),
  name: form.rollupName,
  size: schema.integer('Bytes'),
  position: schema.integer('Among those of its rollup in the block'),
  state: schema.words(
    'unclear: in a block with more refusals than its node names',
    ...(['sequenced', 'unclear', 'refused', 'executed', 'firm'] as const),
  ),
  bundle: schema.object({
    hash: schema.nullable(form.hash('Of the sequencer transaction that carried it')),
    signer: schema.nullable(form.account('Who signed that')),
    position: schema.nullable(schema.integer('Of that in its block')),
  }),
  sequencer: schema.object({
    height: schema.integer('Of its block'),
    hash: form.hash('Of its block'),
    time: schema.nullable(form.time),
  }),
  execution: schema.nullable(
    schema.object({
      block: schema.integer('Number of the rollup block'),
      hash: form.hash('Of the rollup block'),
      time: schema.nullable(form.time),
      seen: schema.nullable(form.time),
      isFirm: schema.flag('Whether the block is final'),
      code: schema.nullable(schema.integer('Why it was refused: number of the reason')),
      reason: schema.nullable(schema.text('Why it was refused')),
    }),
  ),
};

export const submissionSchema = schema.object(submissionMembers, { name: 'Submission' });
export type SubmissionJson = schema.TypeOf<typeof submissionSchema>;

export function submissionJson(context: ApiContext, row: Row): SubmissionJson {
  const rollup = text(row.rollup);
  const head = followed(context, rollup)?.state().head;
  // Of those that it refused, a node of the framework names only so many of each block.
  const isKnown = row.code !== null || number(row.refused) <= MAX_NAMED_REFUSALS;
  const isFirm = typeof row.number === 'number' && head?.firm !== undefined && row.number <= head.firm;
  return {
    hash: text(row.hash),
    rollup,
    name: rollupName(context, rollup),
    size: number(row.size),
    position: number(row.position),
    state: stateOf(row, isKnown, isFirm),
    bundle: {
      hash: textOrNull(row.bundle),
      signer: context.address(row.signer),
      position: numberOrNull(row.bundle_position),
    },
    sequencer: { height: number(row.height), hash: text(row.block_hash), time: timeOrNull(row.time) },
    execution:
      row.number === null
        ? null
        : {
            block: number(row.number),
            hash: text(row.rollup_hash),
            time: timeOrNull(row.rollup_time),
            seen: timeOrNull(row.seen),
            isFirm,
            code: numberOrNull(row.code),
            reason: row.reason === null ? null : text(row.reason),
          },
  };
}

function stateOf({ number: block, code }: Row, isKnown: boolean, isFirm: boolean) {
  if (block === null) return 'sequenced';
  if (!isKnown) return 'unclear';
  if (code !== null) return 'refused';
  return isFirm ? 'firm' : 'executed';
}

/** The same bytes may be in several blocks, and in those of several rollups. */
const MAX_FOUND = 50;

/** Oldest first: where bytes are in blocks more than once, it is the first that counts. */
export async function findSubmissions(context: ApiContext, hash: string): Promise<SubmissionJson[]> {
  const { store } = context;
  const places = await findSubmissionPlaces(store, hash, MAX_FOUND);
  const rows = places.map(({ rollup = null, height = null, position = null }) =>
    store.read(
      `SELECT ${SUBMISSION_COLUMNS} FROM ${SUBMISSIONS} WHERE s.rollup = ? AND s.height = ? AND s.position = ?`,
      [rollup, height, position],
    ),
  );
  return (await Promise.all(rows)).flat().map((row) => submissionJson(context, row));
}
