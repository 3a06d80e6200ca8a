import { Rejected } from '@switchyard/protocol';
import { type Clock, HttpError, JsonRpcError, type Logger, RateLimit, turn } from '@switchyard/service';
import { Input, InvalidData } from '@switchyard/service/input';
import { type JsonRpcServer, jsonRpcServer, type RpcContext, type Subscriber } from '@switchyard/service/json-rpc';
import type { RollupDefinition } from '../definition.ts';
import type { RollupNode } from '../node.ts';
import type { StreamClient } from './event-streams.ts';
import { askedPart, dropped } from './live-contract.ts';
import { placeAt } from './part.ts';
import { type Following, NOTHING, type PartReader } from './parts.ts';
import { type SharedFrames, sharedFrames } from './shared.ts';
import { toPart } from './to-part.ts';

/** Parts of one connection. */
const MOST_PARTS = 64;
/** Parts that a connection may begin to follow at once, and in a second. */
const FOLLOWS = { perSecond: 32, burst: 2 * MOST_PARTS, maxClients: 1 };
/** Connections that are served before others of the event loop have a turn. */
const AT_ONCE = 64;
const INVALID_PARAMS = -32_602;
/** Codes of RFC 6455. */
const CLOSE = { 'slow-reader': 1_008, 'node-stopping': 1_001, bug: 1_011 } as const;

interface Session extends StreamClient {
  readonly subscriber: Subscriber;
  readonly rate: RateLimit;
  readonly turn: () => Promise<void>;
  following: Following;
  isAtWork: boolean;
  isGone: boolean;
}

interface LiveDeps {
  readonly definition: RollupDefinition;
  readonly node: RollupNode;
  readonly reader: PartReader;
  readonly clock: Clock;
  readonly log: Logger;
  readonly maxConnections: number;
}

/**
 * JSON-RPC by which connections follow several parts: each notification has all of them after one block. A connection gets the
 * next one when it has taken the one before, so that slow ones skip blocks and nothing is queued for them.
 */
export function liveServer({ definition, node, reader, clock, log, maxConnections }: LiveDeps): JsonRpcServer {
  const sessions = new Map<Subscriber, Session>();
  const feed = sharedFrames<Following>({
    getKey: (place) => reader.getKey(place),
    read(place) {
      const found = reader.read(place);
      return found && { frames: `{"jsonrpc":"2.0","method":"live","params":${found.text}}`, next: found.next };
    },
  });

  const work = (session: Session): Promise<void> => sendNews(session, feed, log);

  function open(subscriber: Subscriber, turn: () => Promise<void>): Session {
    const known = sessions.get(subscriber);
    if (known !== undefined) return known;
    const session: Session = {
      ...{ subscriber, turn, rate: new RateLimit(FOLLOWS), following: NOTHING },
      ...{ isAtWork: false, isGone: false, isReading: true, missed: 0 },
      beat: () => undefined,
      end: (reason) => subscriber.close(CLOSE[reason], reason),
    };
    const leave = node.streams.join(subscriber.peer, session);
    sessions.set(subscriber, session);
    subscriber.onEnd(() => {
      session.isGone = true;
      sessions.delete(subscriber);
      leave();
    });
    return session;
  }

  function follow(params: unknown, { subscriber, from, afterAnswer }: RpcContext): true {
    if (subscriber === undefined) throw new HttpError(400, 'malformed', 'live_follow needs a WebSocket');
    const asked = askedPart(new Input(params, 'live_follow'));
    const part = toPart(definition, asked);
    const session = open(subscriber, () => from.turn());
    const [{ id }, { parts }] = [asked, session.following];
    if (!session.rate.take('', 1, clock.now()))
      throw new Rejected('limit-reached', { followsPerSecond: FOLLOWS.perSecond });
    if (parts.has(id)) throw new Rejected('malformed', { field: 'id', expected: 'an id that is free', got: id });
    if (parts.size >= MOST_PARTS) throw new Rejected('limit-reached', { parts: MOST_PARTS });
    const place = placeAt(part, node.view, asked.from);
    session.following = { ...session.following, parts: new Map([...parts, [id, { part, place }]]) };
    afterAnswer(() => void work(session));
    return true;
  }

  const announce = inRounds(() => sessions.values(), work);
  node.onCommit(() => {
    feed.clear();
    void announce();
  });
  return jsonRpcServer({
    methods: {
      live_follow: follow,
      live_drop(params, { subscriber }) {
        const session = subscriber && sessions.get(subscriber);
        const id = dropped(new Input(params, 'live_drop'));
        if (session === undefined) return false;
        const parts = new Map(session.following.parts);
        session.following = { ...session.following, parts };
        return parts.delete(id);
      },
    },
    bounds: { maxWebSockets: maxConnections, maxBodyBytes: 65_536, maxBatch: MOST_PARTS },
    ...{ clock, log, translate },
  });
}

const translate = (error: unknown): JsonRpcError | undefined =>
  error instanceof HttpError || error instanceof InvalidData
    ? new JsonRpcError(INVALID_PARAMS, 'Invalid params', error.message)
    : undefined;

/** Sends until nothing is new, at the pace of the client. */
async function sendNews(session: Session, feed: SharedFrames<Following>, log: Logger): Promise<void> {
  if (session.isAtWork) return;
  session.isAtWork = true;
  try {
    for (;;) {
      const read = session.isGone ? undefined : feed.at(session.following);
      if (read === undefined) break;
      session.following = read.next;
      session.isReading = false;
      await session.subscriber.send([read.bytes]);
      Object.assign(session, { isReading: true, missed: 0 });
      // Pages are long work, of which each client has its share.
      if ([...read.next.parts.values()].some(({ place }) => place.isOpen)) await session.turn();
    }
  } catch (err) {
    log.error({ err }, 'a live connection failed');
    session.subscriber.close(CLOSE.bug, 'a fault of this node, which has logged it');
  } finally {
    session.isAtWork = false;
  }
}

/** Serves all connections; commits in the meantime are one round more, so that no connection waits for those before it. */
function inRounds(sessions: () => Iterable<Session>, serve: (session: Session) => Promise<void>): () => Promise<void> {
  let round: 'none' | 'last' | 'another' = 'none';
  return async () => {
    const isServing = round !== 'none';
    round = isServing ? 'another' : 'last';
    if (isServing) return;
    for (; round !== 'none'; round = round === 'another' ? 'last' : 'none') {
      let count = 0;
      for (const session of sessions()) {
        void serve(session);
        count += 1;
        if (count % AT_ONCE === 0) await turn();
      }
    }
  };
}
