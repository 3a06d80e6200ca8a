import type { Row } from '../store/store.ts';
import { type ApiContext, followed, rollupName } from './context.ts';
import { time } from './page.ts';

/** One user's bytes in a block of the sequencer, with what the rollup made of them. */
export const SUBMISSION_COLUMNS = `s.rollup, s.height, s.position, s.hash, s.size, b.time, b.hash AS block_hash,
  t.hash AS bundle, t.signer, t.position AS bundle_position, r.number, r.hash AS rollup_hash, r.time AS rollup_time, r.seen, r.refused,
  f.code, f.reason`;
export const SUBMISSIONS = `submissions s JOIN blocks b ON b.height = s.height
  LEFT JOIN transactions t ON t.height = s.height AND t.position = s.transaction_position
  LEFT JOIN rollup_blocks r ON r.rollup = s.rollup AND r.sequencer_hash = b.hash
  LEFT JOIN refusals f ON f.rollup = s.rollup AND f.number = r.number AND f.position = s.position AND f.hash = s.hash`;

const MAX_NAMED_REFUSALS = 256;

export type SubmissionJson = ReturnType<typeof submissionJson>;

export function submissionJson(context: ApiContext, row: Row) {
  const rollup = String(row.rollup);
  const head = followed(context, rollup)?.state().head;
  // Of those that it refused, a node of the framework names only so many of each block.
  const isKnown = row.code !== null || Number(row.refused) <= MAX_NAMED_REFUSALS;
  const isFirm = typeof row.number === 'number' && head?.firm !== undefined && row.number <= head.firm;
  return {
    hash: row.hash,
    rollup,
    name: rollupName(context, rollup),
    size: row.size,
    /** Among those of its rollup in the block. */
    position: row.position,
    state: stateOf(row, isKnown, isFirm),
    bundle: { hash: row.bundle, signer: context.address(row.signer), position: row.bundle_position },
    sequencer: { height: row.height, hash: row.block_hash, time: time(row.time) },
    execution:
      row.number === null
        ? null
        : {
            block: row.number,
            hash: row.rollup_hash,
            time: time(row.rollup_time),
            seen: time(row.seen),
            isFirm,
            code: row.code,
            reason: row.reason,
          },
  };
}

function stateOf({ number, code }: Row, isKnown: boolean, isFirm: boolean) {
  if (number === null) return 'sequenced';
  if (!isKnown) return 'unclear';
  if (code !== null) return 'refused';
  return isFirm ? 'firm' : 'executed';
}

/** The same bytes may be in several blocks, and in those of several rollups. */
const MAX_FOUND = 50;

/** Oldest first: where bytes are in blocks more than once, it is the first that counts. */
export async function findSubmissions(context: ApiContext, hash: string): Promise<SubmissionJson[]> {
  const rows = await context.store.read(
    `SELECT ${SUBMISSION_COLUMNS} FROM ${SUBMISSIONS} WHERE s.hash = ? ORDER BY s.height, s.rollup, s.position LIMIT ?`,
    [hash, MAX_FOUND],
  );
  return rows.map((row) => submissionJson(context, row));
}
