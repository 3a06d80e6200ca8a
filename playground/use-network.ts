import { useEffect, useRef, useState } from 'react';
import type { Begin, Command, Report, Shown } from './messages.ts';

/** A worker that reports nothing for this long has code without an end. */
const SILENT_MS = 10_000;
const MOST_BLOCKS = 30;

type Ready = Pick<Extract<Report, { kind: 'ready' }>, 'actions' | 'parts'>;

export interface Running extends Ready {
  readonly shown: Shown | undefined;
  /** The network after each of the newest blocks of the sequencer, newest first. */
  readonly blocks: readonly Shown[];
  readonly problem: string | undefined;
  readonly isOver: boolean;
  send(command: Command): void;
  /** Ends the worker, also in the middle of a loop. */
  stop(): void;
}

const NOTHING = { actions: [], parts: [], shown: undefined, blocks: [], problem: undefined, isOver: false };

function withBlock(blocks: readonly Shown[], shown: Shown): readonly Shown[] {
  const others = blocks.filter(({ height }) => height !== shown.height);
  return [shown, ...others].slice(0, MOST_BLOCKS);
}

/** The network of a worker, which begins again with each other `begin`. */
export function useNetwork(begin: Begin | undefined): Running {
  const [state, setState] = useState<Omit<Running, 'send' | 'stop'>>(NOTHING);
  const worker = useRef<Worker>(undefined);
  const silence = useRef<ReturnType<typeof setTimeout>>(undefined);
  const end = (problem: string | undefined) => {
    clearTimeout(silence.current);
    worker.current?.terminate();
    setState((before) => ({ ...before, problem, isOver: true }));
  };
  useEffect(() => {
    if (begin === undefined) return;
    setState(NOTHING);
    const own = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    worker.current = own;
    const wait = () => {
      clearTimeout(silence.current);
      silence.current = setTimeout(
        () => end(`The network has not answered for ${SILENT_MS / 1_000} s and was ended.`),
        SILENT_MS,
      );
    };
    own.onmessage = ({ data }: MessageEvent<Report>) => {
      wait();
      if (data.kind === 'ready') setState({ ...NOTHING, ...data });
      if (data.kind === 'shown')
        setState((before) => ({ ...before, shown: data.shown, blocks: withBlock(before.blocks, data.shown) }));
      if (data.kind === 'failed') setState((before) => ({ ...before, problem: data.problem }));
    };
    own.onerror = ({ message }) => end(message);
    own.postMessage(begin);
    wait();
    return () => {
      clearTimeout(silence.current);
      own.terminate();
    };
  }, [begin]);
  return {
    ...state,
    send: (command) => worker.current?.postMessage(command),
    stop: () => end('The network was ended.'),
  };
}
