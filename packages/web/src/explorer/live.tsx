import { Input } from '@switchyard/client/http-api';
import { heads as headsRecord } from '@switchyard/explorer/contract';
import { openEvents } from '@switchyard/rollup/live/browser';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { EVENTS } from './api.ts';

/** The lists of a page are read again at most this often, however fast blocks come. */
const MIN_TURN_MS = 1_000;

export interface Live {
  /** Changes whenever there is something new to read. */
  readonly turn: number;
  readonly isConnected: boolean;
  /** Whether it was connected before, so that a lost connection differs from a first attempt. */
  readonly wasConnected: boolean;
  /** The newest heights, once there are some. */
  readonly heads: ReturnType<typeof headsRecord.read> | undefined;
}

const NOTHING: Live = { turn: 0, isConnected: false, wasConnected: false, heads: undefined };
const Context = createContext<Live>(NOTHING);

export const useLive = (): Live => useContext(Context);

/** The newest heights as the explorer pushes them. A page in the background reads nothing until it is looked at. */
export function LiveHeads({ children }: { readonly children: ReactNode }) {
  const [live, setLive] = useState(NOTHING);
  useEffect(() => {
    let due: number | undefined;
    let turnedAt = Number.NEGATIVE_INFINITY;
    const turn = () => {
      if (due !== undefined || document.hidden) return;
      const turnNow = () => {
        due = undefined;
        turnedAt = performance.now();
        setLive((before) => ({ ...before, turn: before.turn + 1 }));
      };
      due = window.setTimeout(turnNow, Math.max(0, turnedAt + MIN_TURN_MS - performance.now()));
    };
    const stream = openEvents(EVENTS, {
      event: 'heads',
      onConnection: (state) => {
        // It is connected from the first heads on.
        if (state !== 'connected') setLive((before) => ({ ...before, isConnected: false }));
        if (state === 'refused') turn();
      },
      onEvent: (data) => {
        const heads = headsRecord.read(new Input(JSON.parse(data), 'heads'));
        setLive((before) => ({ ...before, heads, isConnected: true, wasConnected: true }));
        turn();
      },
    });
    document.addEventListener('visibilitychange', turn);
    return () => {
      stream.close();
      window.clearTimeout(due);
      document.removeEventListener('visibilitychange', turn);
    };
  }, []);
  return <Context value={live}>{children}</Context>;
}
