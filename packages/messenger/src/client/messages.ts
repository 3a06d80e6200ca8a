import { type RollupClient, requestPath } from '@switchyard/client/rollup';
import { listMessages } from '../contract.ts';
import { readText, type Text } from './texts.ts';

export interface MessageQuery {
  /** Cursors from an earlier answer: `older` as `before`, `newer` as `after`. */
  readonly before?: bigint;
  readonly after?: bigint;
  readonly limit?: number;
  /** Address of who signed. */
  readonly sender?: string;
  /** Words that a message must have, all of them. */
  readonly q?: string;
  readonly signal?: AbortSignal;
}

export interface FoundMessages {
  /** Newest first. */
  readonly messages: readonly Text[];
  /** Undefined where there are none. */
  readonly older: bigint | undefined;
  readonly newer: bigint | undefined;
  readonly total: bigint;
}

/** Messages newest first: all, those of an account, those with some words. */
export async function findMessages(
  rollup: Pick<RollupClient, 'get'>,
  { signal, ...query }: MessageQuery = {},
): Promise<FoundMessages> {
  const answer = await rollup.get(requestPath(listMessages, { ...query }), signal);
  return {
    messages: answer.at('messages').list().map(readText),
    older: answer.at('older').optional((each) => each.big()),
    newer: answer.at('newer').optional((each) => each.big()),
    total: answer.at('total').big(),
  };
}
