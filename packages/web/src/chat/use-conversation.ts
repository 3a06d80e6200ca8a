import type { Text } from '@switchyard/messenger/client';
import { openEvents } from '@switchyard/rollup/live/browser';
import { useCallback, useEffect, useReducer, useRef, useState } from 'react';
import { repeat } from '../ui/repeat.ts';
import { MESSAGE_STREAM, messagesBefore, messagesFrom, textOfEvent } from './api.ts';
import { type Conversation, emptyConversation, hasOlder, isBehind, reduceConversation } from './conversation.ts';
import { readHistory, writeHistory } from './history.ts';

const REOPEN_MS = 2_000;
const SAVE_MS = 500;
/** Messages come with their block, many at once: they are drawn at once. */
const GATHER_MS = 30;

export interface LiveConversation extends Conversation {
  /** Opens the stream again, which may be dead without an error. */
  readonly reopen: () => void;
  readonly loadOlder: () => void;
  readonly setReading: (isReading: boolean) => void;
}

/** The node's messages, and each new one once committed. After a lost connection it reads the missed ones. */
export function useConversation(isMine: (address: string | undefined) => boolean): LiveConversation {
  const [conversation, dispatch] = useReducer(reduceConversation, emptyConversation);
  const [turn, setTurn] = useState(0);
  const isLoading = useRef(false);
  const events = useRef<ReturnType<typeof openEvents>>(undefined);
  const mine = useRef(isMine);
  mine.current = isMine;
  const { messages, connection } = conversation;

  useEffect(() => {
    const restored = readHistory();
    if (restored.length > 0) dispatch({ kind: 'restored', messages: restored });
    const arrivals: Text[] = [];
    let timer: number | undefined;
    const flush = () => {
      timer = undefined;
      for (const message of arrivals.splice(0))
        dispatch({ kind: 'arrived', message, isMine: mine.current(message.address) });
    };
    const opened = openEvents(MESSAGE_STREAM, {
      event: 'message',
      onConnection: (state) => {
        dispatch({ kind: 'connection', connection: state === 'connected' ? state : 'lost' });
        if (state === 'connected') setTurn((before) => before + 1);
      },
      onEvent: (data) => {
        arrivals.push(textOfEvent(data));
        timer ??= window.setTimeout(flush, GATHER_MS);
      },
    });
    events.current = opened;
    return () => {
      window.clearTimeout(timer);
      opened.close();
    };
  }, []);

  // Each opening of the stream reads earlier messages, from the last known message on.
  const [read, setRead] = useState({ pages: 0, turn: 0 });
  const isMissing = connection === 'connected' && (read.turn !== turn || isBehind(conversation));
  const last = useRef<bigint>(undefined);
  last.current = messages.at(-1)?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each page it is decided again whether some are missing
  useEffect(() => {
    if (!isMissing) return;
    return repeat(async (isOver) => {
      const from = last.current;
      try {
        const page = await messagesFrom(from);
        if (isOver()) return undefined;
        dispatch({ kind: from === undefined ? 'newest' : 'newer', page });
        setRead(({ pages }) => ({ pages: pages + 1, turn }));
        return undefined;
      } catch {
        return REOPEN_MS;
      }
    });
  }, [isMissing, turn, read.pages]);

  useEffect(() => {
    const timer = window.setTimeout(() => writeHistory(messages), SAVE_MS);
    return () => window.clearTimeout(timer);
  }, [messages]);

  return {
    ...conversation,
    reopen: useCallback(() => events.current?.reopen(), []),
    setReading: (isReading) => {
      if (isReading !== conversation.isReading || (isReading && conversation.unread > 0))
        dispatch({ kind: 'reading', isReading });
    },
    loadOlder: () => {
      const first = messages[0]?.id;
      if (first === undefined || isLoading.current || !hasOlder(conversation)) return;
      isLoading.current = true;
      messagesBefore(first)
        .then(
          (page) => dispatch({ kind: 'older', page }),
          () => undefined,
        )
        .finally(() => {
          isLoading.current = false;
        });
    },
  };
}
