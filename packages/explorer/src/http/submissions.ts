import { type Submission, submission } from '../contract/rollups.ts';
import { findSubmissionPlaces } from '../sequencer/hash-runs.ts';
import { sameHash } from '../store/statements.ts';
import type { Row } from '../store/store.ts';
import { number, numberOrNull, text, textOrNull, timeOrNull } from './cells.ts';
import { type ApiContext, followed } from './context.ts';
import { type Computed, readRows, view } from './view.ts';

export const SUBMISSIONS = view(
  submission,
  `submissions s JOIN blocks b ON b.height = s.height
  LEFT JOIN transactions t ON t.height = s.height AND t.position = s.transaction_position
  LEFT JOIN rollup_blocks r ON r.rollup = s.rollup AND ${sameHash('r.sequencer_hash', 'b.hash')}
  LEFT JOIN refusals f ON f.rollup = s.rollup AND f.number = r.number AND f.position = s.position`,
  {
    ...{ height: 's.height', time: 'b.time', block_hash: 'b.hash' },
    ...{ bundle: 't.hash', signer: 't.signer', bundle_position: 't.position' },
    ...{ number: 'r.number', rollup_hash: 'r.hash', rollup_time: 'r.time', seen: 'r.seen', refused: 'r.refused' },
    ...{ code: 'f.code', reason: 'f.reason' },
  },
);

const MAX_NAMED_REFUSALS = 256;

/** The places of a submission, and its outcome on the rollup. @param row Of {@link SUBMISSIONS}. */
export function toOutcome(context: ApiContext, row: Row): Computed<typeof submission.members> {
  const head = followed(context, text(row.rollup))?.state().head;
  // A node of the framework names only so many of the submissions that it refused in each block.
  const isKnown = row.code !== null || number(row.refused) <= MAX_NAMED_REFUSALS;
  const isFirm = typeof row.number === 'number' && head?.firm !== undefined && row.number <= head.firm;
  return {
    state: getState(row, isKnown, isFirm),
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

function getState({ number: block, code }: Row, isKnown: boolean, isFirm: boolean) {
  if (block === null) return 'sequenced';
  if (!isKnown) return 'unclear';
  if (code !== null) return 'refused';
  return isFirm ? 'firm' : 'executed';
}

/** Identical bytes may be in several blocks, and in those of several rollups. */
const MAX_FOUND = 50;

/** Oldest first: if bytes are in blocks more than once, it is the first that counts. */
export async function findSubmissions(context: ApiContext, hash: string): Promise<Submission[]> {
  const places = await findSubmissionPlaces(context.store, hash, MAX_FOUND);
  const rows = places.map(({ rollup = null, height = null, position = null }) =>
    readRows(context.store, SUBMISSIONS, 's.rollup = ? AND s.height = ? AND s.position = ?', [
      rollup,
      height,
      position,
    ]),
  );
  return (await Promise.all(rows)).flat().map((row) => SUBMISSIONS.json(row, toOutcome(context, row), context));
}
