import type { TransactionOutcome } from '@switchyard/client/rollup';
import { HttpError } from '@switchyard/service';
import { type AnyRoute, route } from '@switchyard/service/api';
import { blockJson } from '../http/blocks.ts';
import { hashParameter } from '../http/schemas.ts';
import type { RollupNode } from '../node.ts';
import type { OutcomeQueries } from '../outcome-queries.ts';
import { getBlock } from '../stored-blocks.ts';
import type { EventStreams } from './event-streams.ts';
import {
  frame,
  lastEventId,
  STREAM_ANSWERS,
  STREAM_ERRORS,
  STREAM_HEADERS,
  STREAM_TEXT,
  streamRoute,
} from './stream-route.ts';

const MAX_BLOCKS = 200n;

/** Each block, once committed. */
export function blockStream(node: RollupNode): AnyRoute {
  return streamRoute<bigint>(node, {
    url: '/v1/streams/blocks',
    id: 'streamBlocks',
    summary: 'Each block, once committed',
    description: 'Events `block`, with the number as id. `gap` names blocks that this node does not keep any more',
    ids: '[0-9]{1,19}',
    from(lastId) {
      const { soft } = node.view;
      const next = lastId === undefined ? soft + 1n : BigInt(lastId) + 1n;
      return next > soft + 1n ? soft + 1n : next;
    },
    getKey: String,
    read(next) {
      const { snapshot, soft, lowest } = node.view;
      if (next > soft) return undefined;
      const first = next < lowest ? lowest : next;
      const last = first + MAX_BLOCKS > soft ? soft : first + MAX_BLOCKS - 1n;
      const frames = next < first ? [frame('gap', { from: next, to: first - 1n })] : [];
      for (let number = first; number <= last; number += 1n) {
        const block = getBlock(snapshot, number);
        if (block !== undefined) frames.push(frame('block', blockJson(number, block), number));
      }
      return { frames: frames.join(''), next: last + 1n };
    },
  });
}

/** How long a look at the composer is apart from the next. */
const ASK_MS = 1_000;

/** Streams the states of one transaction, until it is firm or refused. */
export function progressStream(streams: EventStreams, outcomes: Pick<OutcomeQueries, 'find' | 'wait'>): AnyRoute {
  return route({
    method: 'get',
    url: '/v1/transactions/{hash}/stream',
    id: 'streamTransaction',
    tag: 'Streams',
    summary: 'Each state of a transaction, once reached',
    description: `Events \`outcome\`, with the state as id, until it is firm or refused. ${STREAM_TEXT}`,
    path: { hash: hashParameter },
    headers: lastEventId('The last state that was seen', '[a-z]{1,20}'),
    answers: STREAM_ANSWERS,
    errors: { ...STREAM_ERRORS, 404: 'The transaction is not known to this node' },
    async handle({ path: { hash }, client, signal, header }) {
      const known = await outcomes.find(hash, signal);
      if (known === undefined) throw new HttpError(404, 'not-found', `no transaction ${hash} is known here`);
      let seen = header('last-event-id') ?? '';
      let current: TransactionOutcome | undefined = known;
      const next = async (stopped: AbortSignal): Promise<Uint8Array | undefined> => {
        while (current === undefined || current.state === seen) {
          if (isDone(current)) return undefined;
          stopped.throwIfAborted();
          const until = current?.state === 'executed' ? 'firm' : 'executed';
          current = await outcomes.wait(hash, { until, timeoutMs: ASK_MS }, stopped);
        }
        seen = current.state;
        return Buffer.from(frame('outcome', current, seen));
      };
      return { status: 200, body: streams.open({ client, signal, next }), headers: STREAM_HEADERS };
    },
  });
}

function isDone(outcome: TransactionOutcome | undefined): boolean {
  return outcome?.state === 'firm' || outcome?.state === 'refused' || outcome?.state === 'expired';
}
