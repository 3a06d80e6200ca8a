import { Code, ConnectError } from '@connectrpc/connect';
import type { CollectorClient } from '@switchyard/client';
import type { RollupId, TxHash } from '@switchyard/protocol';
import type { Logger } from '@switchyard/service';
import { type Collector, PartlySubmitted } from './collector.ts';

export type ComposerCalls = Pick<
  CollectorClient,
  'submit' | 'submitBatch' | 'submission' | 'submissions' | 'pending' | 'sequencerBlock'
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

  async function submission(hash: TxHash, signal: AbortSignal) {
    if (!detectsCopies) return undefined;
    try {
      return await client.submission(rollup, hash, signal);
    } catch (error) {
      if (!isUnimplemented(error)) throw error;
      found(false);
      return undefined;
    }
  }

  return {
    get detectsCopies() {
      return detectsCopies;
    },
    async submitBatch(data, executedHeight, signal) {
      if (!detectsCopies) return oneAtATime(data, signal);
      try {
        return await client.submitBatch(rollup, data, { skipKnown: true, executedHeight, signal });
      } catch (error) {
        if (!isUnimplemented(error)) throw error;
        found(false);
        return oneAtATime(data, signal);
      }
    },
    submission,
    async submissions(hashes, signal) {
      try {
        if (detectsCopies) return await client.submissions(rollup, hashes, signal);
      } catch (error) {
        if (!isUnimplemented(error)) throw error;
      }
      // Older composers of ours answer for one at a time, the original one for none.
      return Promise.all(hashes.map((hash) => submission(hash, signal)));
    },
    async sequencerBlock(height, signal) {
      try {
        return await client.sequencerBlock(height, signal);
      } catch (error) {
        // Older composers of ours lack this call too.
        if (!isUnimplemented(error)) throw error;
        return undefined;
      }
    },
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
