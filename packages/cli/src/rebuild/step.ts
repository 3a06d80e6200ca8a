/** Decisions of a rebuild from the status of a conductor, as functions of plain values. */
import { type Input, ifValid, object, text } from '@switchyard/service/input';
import { readValue, whole } from '../dev/files/read-json.ts';
import { jsonIn } from '../dev/supervisor/http-get.ts';
import { Failure } from '../failure.ts';

const big = ifValid((input: Input) => BigInt(whole(input)));

const statusOfConductor = object({
  layerHead: big,
  layerRead: big,
  /** Up to here nothing of the layer is left to be found. */
  layerComplete: big,
  layerTrouble: ifValid(text),
  unprovenBlobs: ifValid(text),
  /** The newest block of the sequencer that was found, and where. */
  postedHeight: big,
  postedLayerHeight: big,
  /** Sequencer height that is executed next. */
  nextHeight: big,
  soft: big,
  firm: big,
  lastBlockTime: ifValid(text),
});

export type RebuildStatus = ReturnType<typeof statusOfConductor>;

/** @throws {Failure} where it is no status of a conductor. */
export function readStatus(body: string): RebuildStatus {
  const read = readValue(jsonIn(body), statusOfConductor);
  if (read === undefined) throw new Failure('the conductor answers what is no status');
  return read;
}

export type RebuildStep =
  | { readonly kind: 'wait' }
  /** All is read, and there is no block to begin with. */
  | { readonly kind: 'nothing' }
  | {
      readonly kind: 'done';
      readonly last: {
        readonly sequencerHeight: bigint;
        /** Undefined where an earlier run has executed it. */
        readonly layerHeight: bigint | undefined;
        readonly time: string;
        readonly number: bigint;
      };
    };

/** @param target Height of the layer up to which it is read. */
export function stepOf(status: RebuildStatus, target: bigint | undefined): RebuildStep {
  const { layerComplete, postedHeight, postedLayerHeight, nextHeight, soft, firm, lastBlockTime } = status;
  if (target === undefined || layerComplete === undefined || layerComplete < target) return { kind: 'wait' };
  const isBegun = soft !== undefined && soft > 0n;
  if (postedHeight === undefined && !isBegun) return { kind: 'nothing' };
  if (nextHeight === undefined || soft === undefined || soft !== firm) return { kind: 'wait' };
  // Without a block in this run, all that was posted was executed by an earlier one.
  if (postedHeight !== undefined && nextHeight !== postedHeight + 1n) return { kind: 'wait' };
  const last = {
    sequencerHeight: nextHeight - 1n,
    layerHeight: postedLayerHeight,
    time: lastBlockTime ?? '',
    number: soft,
  };
  return { kind: 'done', last };
}
