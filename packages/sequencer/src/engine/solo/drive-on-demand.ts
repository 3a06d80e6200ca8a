import { aborted } from '@switchyard/service';
import { type MakeBlock, promiseWithResolvers } from '../engine.ts';

interface OnDemand {
  /** Is given the function that makes one block, before anything else. */
  readonly offer: (makeBlock: MakeBlock) => void;
  readonly signal: AbortSignal;
  /** Blocks that are made come after this. */
  readonly first: Promise<void>;
  /** Makes one block. */
  make(): Promise<void>;
}

/** Makes a block only on request, until `signal` aborts. A block that was begun is finished. */
export async function driveOnDemand({ offer, signal, first, make }: OnDemand): Promise<void> {
  const { promise: failed, reject: fail } = promiseWithResolvers<never>();
  const end = aborted(signal);
  const ended = end.then(() => Promise.reject(new Error('the sequencer has ended before the block was made')));
  ended.catch(() => undefined);
  first.catch(fail);
  let last = first;
  const makeBlock = (): Promise<void> => {
    const made = last.then(() => (signal.aborted ? ended : make()));
    last = made;
    made.catch((error: unknown) => {
      if (!signal.aborted) fail(error);
    });
    return Promise.race([made, ended]);
  };
  // An engine that ended while it started must not take the place of the next one.
  if (!signal.aborted) offer(makeBlock);
  await Promise.race([end, failed]);
  await last.catch(() => undefined);
}
