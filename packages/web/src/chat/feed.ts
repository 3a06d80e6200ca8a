import type { Text } from '@switchyard/messenger/client';
import { useEffect, useState } from 'react';
import { blockOfEvent, newestTexts, textOfEvent } from './api.ts';

/** Messages on the page; the node has the older ones. */
const MAX_TEXTS = 500;

/** Messages in order of id, each once; the newest are kept. */
export function merge(known: readonly Text[], added: readonly Text[]): readonly Text[] {
  const byId = new Map([...known, ...added].map((text) => [text.id, text]));
  return [...byId.values()].sort((left, right) => Number(left.id) - Number(right.id)).slice(-MAX_TEXTS);
}

export interface Feed {
  readonly texts: readonly Text[];
  readonly connected: boolean;
  readonly block: string;
}

/** The node's messages, and each new one as it is committed. After a lost connection it reads what it missed. */
export function useFeed(): Feed {
  const [feed, setFeed] = useState<Feed>({ texts: [], connected: false, block: '' });
  useEffect(() => {
    const events = new EventSource('/v1/events');
    const add = (texts: readonly Text[]) => setFeed((feed) => ({ ...feed, texts: merge(feed.texts, texts) }));
    events.onopen = () => {
      setFeed((feed) => ({ ...feed, connected: true }));
      // What was committed while disconnected. If this fails, the next opening reads it.
      newestTexts().then(add, () => setFeed((feed) => ({ ...feed, connected: false })));
    };
    events.onerror = () => setFeed((feed) => ({ ...feed, connected: false }));
    events.addEventListener('text', ({ data }) => add([textOfEvent(data)]));
    events.addEventListener('block', ({ data }) => {
      setFeed((feed) => ({ ...feed, block: blockOfEvent(data) }));
    });
    return () => events.close();
  }, []);
  return feed;
}
