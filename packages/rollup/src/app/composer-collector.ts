import { Code, ConnectError } from '@connectrpc/connect';
import type { CollectorClient } from '@switchyard/client';
import type { RollupId } from '@switchyard/protocol';
import type { Logger } from '@switchyard/service';
import { type Collector, PartlySubmitted } from './collector.ts';

export type ComposerCalls = Pick<
  CollectorClient,
  'submit' | 'submitBatch' | 'submissions' | 'pending' | 'sequencerBlock'
>;

/**
 * The composer behind a client, for one rollup.
 *
 * A composer that has only the original service gets transactions one at a time. It neither recognises copies nor reports
 * outcomes; whether it has our service is determined on each connection, and logged when it changes.
 */
export function composerCollector(client: ComposerCalls, rollup: RollupId, log: Logger): Collector {
  let detectsCopies = true;

  const found = (hasOurService: boolean): void => {
    if (hasOurService === detectsCopies) return;
    detectsCopies = hasOurService;
    if (hasOurService) log.info('composer has SubmissionService: transactions are submitted in batches');
    else
      log.warn(
        'composer has no SubmissionService: transactions are submitted one at a time, and one whose acknowledgement is lost may be included twice',
      );
  };

  async function oneAtATime(data: readonly Uint8Array[], signal: AbortSignal): Promise<readonly []> {
    for (const [index, bytes] of data.entries()) {
      try {
        signal.throwIfAborted();
        await client.submit(rollup, bytes, signal);
      } catch (error) {
        throw new PartlySubmitted(index, error);
      }
    }
    return [];
  }

  async function awaitOwn<T>(answer: Promise<T>, otherwise: T): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (!isUnimplemented(error)) throw error;
      found(false);
      return otherwise;
    }
  }

  const submissions: Collector['submissions'] = async (hashes, signal) => {
    const none = hashes.map(() => undefined);
    return detectsCopies ? awaitOwn(client.submissions(rollup, hashes, signal), none) : none;
  };

  return {
    get detectsCopies() {
      return detectsCopies;
    },
    async submitBatch(data, executedHeight, signal) {
      const batch = detectsCopies && client.submitBatch(rollup, data, { skipKnown: true, executedHeight, signal });
      return (batch && (await awaitOwn(batch, undefined))) || oneAtATime(data, signal);
    },
    submission: async (hash, signal) => (await submissions([hash], signal))[0],
    submissions,
    sequencerBlock: (height, signal) => awaitOwn(client.sequencerBlock(height, signal), undefined),
    async *pending(executedHeight, signal) {
      try {
        yield* client.pending(rollup, signal, executedHeight);
        found(true);
      } catch (error) {
        if (!isUnimplemented(error)) throw error;
        found(false);
      }
    },
  };
}

function isUnimplemented(error: unknown): boolean {
  return error instanceof ConnectError && error.code === Code.Unimplemented;
}
