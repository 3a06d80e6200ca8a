import { type Connection, type EventHandlers, type Events, openSource } from './event-source.ts';
import { whilePageIsOpen } from './page-life.ts';
import { canShare, joinTabs } from './tabs.ts';

interface News {
  readonly state?: Connection | undefined;
  readonly data?: string | undefined;
  /** For a tab that has asked: the state, and the last event. */
  readonly isAnswer?: boolean;
}

/**
 * A stream of events, opened again whenever it ends. Browsers give one server six connections, so all pages of a browser share
 * one, if they may use locks; otherwise each page that is looked at has its own.
 */
export function openEvents(url: string, handlers: EventHandlers): Events {
  const isShared = canShare();
  const events = whilePageIsOpen(() => (isShared ? joinEvents : openSource)(url, handlers), !isShared);
  return { reopen: () => events.get()?.reopen(), close: events.close };
}

function joinEvents(url: string, { event, onConnection, onEvent }: EventHandlers): Events {
  let known: News = {};
  const tabs = joinTabs<'reopen', News>(`switchyard events ${url}`, {
    hold(tell) {
      const source = openSource(url, {
        event,
        onConnection: (state) => tell({ state }),
        onEvent: (data) => tell({ data }),
      });
      return {
        greet: () => ({ ...known, ...(known.state !== 'connected' && { data: undefined }), isAnswer: true }),
        request: () => source.reopen(),
        close: () => source.close(),
      };
    },
    receive({ state, data, isAnswer = false }) {
      const before = known;
      known = { state: state ?? before.state, data: data ?? before.data };
      if (state !== undefined && !(isAnswer && state === before.state)) onConnection(state);
      if (data !== undefined && !(isAnswer && data === before.data)) onEvent(data);
    },
  });
  return { reopen: () => tabs.request('reopen'), close: tabs.close };
}
