import { Notifier, toJson } from '@switchyard/service';
import { type AnyRoute, type RawAnswer, route, schema } from '@switchyard/service/api';
import type { RollupNode } from '../node.ts';
import { type FeedSource, sharedFrames } from './shared.ts';

/** The answer of every stream. */
const EVENT_STREAM: RawAnswer = {
  mediaType: 'text/event-stream',
  description: 'Server-sent events; the stream stays open',
  schema: { type: 'string' },
};

export const STREAM_ANSWERS = { 200: EVENT_STREAM };
export const STREAM_HEADERS = { 'cache-control': 'no-store', 'x-accel-buffering': 'no' };
export const STREAM_ERRORS = {
  429: 'Too many requests, or open streams, of this address',
  503: 'All streams of this node are in use',
};
export const STREAM_TEXT =
  'A connection that was lost resumes at its position by `Last-Event-ID`. Before the node ends a stream it sends the event `end` with the reason: `slow-reader`, `node-stopping`';

/** `Last-Event-ID`, which is empty if a page has seen no event. */
export function lastEventId(description: string, pattern: string) {
  const id = schema.matching({ description, pattern: `^(?:${pattern})?$` }, 'an id of this stream', (text) => text);
  return { 'last-event-id': schema.optional(id) };
}

interface StreamRoute<C, P extends schema.Members, Q extends schema.Members> extends FeedSource<C> {
  readonly url: string;
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  /** A regular expression of the ids of its events. */
  readonly ids: string;
  /** Schema of the data of its events. */
  readonly events?: schema.JsonSchema;
  readonly path?: P;
  readonly query?: Q;
  /** Errors of this stream, besides those of every stream. */
  readonly errors?: Readonly<Record<number, string>>;
  /** Beginning of a stream. @param lastId Id of the last event that the client has seen. */
  from(lastId: string | undefined, query: schema.ObjectOf<Q>, path: schema.ObjectOf<P>): C;
}

/** An event as a stream has it; its id, if it has one, is a place from which a client resumes. */
export function frame(event: string, data: unknown, id?: string | bigint): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${toJson(data)}\n\n`;
}

/** A stream of a list that grows with commits. */
export function streamRoute<
  C,
  const Q extends schema.Members = Record<never, never>,
  const P extends schema.Members = Record<never, never>,
>(
  { streams, onCommit }: RollupNode,
  {
    url,
    id,
    summary,
    description,
    ids,
    events = {},
    path = {} as P,
    query = {} as Q,
    errors = {},
    from,
    ...source
  }: StreamRoute<C, P, Q>,
): AnyRoute {
  const shared = sharedFrames(source);
  const changed = new Notifier();
  onCommit(() => {
    shared.clear();
    changed.notify();
  });
  return route({
    ...{ method: 'get', url, id, tag: 'Streams', summary },
    description: `${description}. ${STREAM_TEXT}`,
    path,
    query,
    headers: lastEventId('Of the last event that was seen', ids),
    answers: { 200: { ...EVENT_STREAM, events } },
    errors: { ...errors, ...STREAM_ERRORS },
    handle({ client, signal, header, query: given, path: parts }) {
      let at = from(header('last-event-id') || undefined, given, parts);
      const next = async (stopped: AbortSignal): Promise<Uint8Array> => {
        for (;;) {
          const read = shared.at(at);
          at = read?.next ?? at;
          if (read === undefined) await changed.wait(stopped);
          else if (read.bytes.length > 0) return read.bytes;
        }
      };
      return { status: 200, body: streams.open({ client, signal, next }), headers: STREAM_HEADERS };
    },
  });
}
