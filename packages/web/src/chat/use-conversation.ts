import { parseInput } from '@switchyard/client/rollup';
import { readText, textLog } from '@switchyard/messenger/client';
import { useEffect, useReducer, useRef } from 'react';
import { readStored, writeSetting } from '../ui/settings.ts';
import { messagesBefore } from './api.ts';
import { app } from './app.ts';
import { type Conversation, hasOlder, type Message, openConversation, reduceConversation } from './conversation.ts';

export interface LiveConversation extends Conversation {
  readonly loadOlder: () => void;
  readonly setReading: (isReading: boolean) => void;
}

/** Messages that are read first, and that are kept for a page without a connection. */
const NEWEST = 200;
const SAVE_MS = 500;
const KEPT = 'chat/history';

const newest = app.newest(textLog, NEWEST);

/** The node's messages, and each new one with its block. @param reader Address of the account that writes. */
export function useConversation(reader: string | undefined): LiveConversation {
  const [conversation, dispatch] = useReducer(reduceConversation, undefined, () => openConversation(readHistory()));
  const { messages, isReading, unread } = conversation;
  const isLoading = useRef(false);
  const address = useRef(reader);
  address.current = reader;
  useEffect(
    () =>
      newest.subscribe(({ state, entries }) => {
        if (state === 'ready') dispatch({ kind: 'newest', entries, reader: address.current });
      }),
    [],
  );
  useEffect(() => {
    const timer = window.setTimeout(() => writeHistory(messages.slice(-NEWEST)), SAVE_MS);
    return () => window.clearTimeout(timer);
  }, [messages]);
  return {
    ...conversation,
    setReading: (now) => {
      if (now !== isReading || (now && unread > 0)) dispatch({ kind: 'reading', isReading: now });
    },
    loadOlder: () => {
      const [first] = messages;
      if (first === undefined || isLoading.current || !hasOlder(conversation)) return;
      isLoading.current = true;
      messagesBefore(first.id)
        .then((older) => dispatch({ kind: 'older', messages: older }))
        .catch(() => undefined)
        .finally(() => {
          isLoading.current = false;
        });
    },
  };
}

const readHistory = (): readonly Message[] =>
  readStored('browser', KEPT, (text) => parseInput(text, 'history').list(NEWEST).map(readText)) ?? [];

function writeHistory(messages: readonly Message[]): void {
  if (messages.length === 0) return;
  const kept = messages.map((one) => ({ ...one, id: String(one.id), block: String(one.block) }));
  writeSetting('browser', KEPT, JSON.stringify(kept));
}
