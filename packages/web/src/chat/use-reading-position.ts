import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { readStored, writeSetting } from '../ui/settings.ts';
import type { Message } from './conversation.ts';
import { blockOf, getDrawn } from './timeline.ts';

/** So close to the end that new messages are to be followed. */
const NEAR_PX = 48;
/** So close to the beginning that older ones are wanted. */
const EARLY_PX = 400;
const KEPT = 'chat/place';

interface Options {
  readonly messages: readonly Message[];
  /** Changes with everything that follows the messages. */
  readonly added: unknown;
  /** A message to show, once for each object. */
  readonly target: { readonly id: bigint } | undefined;
  readonly onOlder: () => void;
  readonly onReading: (isReading: boolean) => void;
}

export interface ReadingPosition {
  /** The part that scrolls, and its contents, whose height changes. */
  readonly list: RefObject<HTMLElement | null>;
  readonly content: RefObject<HTMLElement | null>;
  /** Indices of the messages to draw. */
  readonly from: number;
  readonly to: number;
  readonly onScroll: () => void;
  readonly toEnd: () => void;
}

/** The first message in view, and its distance from the top of the list. */
interface Anchor {
  readonly id: bigint;
  readonly top: number;
}

/**
 * Follows the newest message at the end of a list, and elsewhere keeps the read messages in place, regardless of changes around
 * them. The messages around the reader are drawn, and no others. A page that is loaded again, or returned to, begins where it was left.
 */
export function useReadingPosition({ messages, added, target, onOlder, onReading }: Options): ReadingPosition {
  const list = useRef<HTMLElement>(null);
  const content = useRef<HTMLElement>(null);
  /** Absent at the end. */
  const anchor = useRef(useState(readAnchor)[0]);
  const [place, setPlace] = useState(() => anchor.current && blockOf(anchor.current.id));
  const { from, to } = getDrawn(messages, place);
  const size = useRef('');

  const keep = (element: HTMLElement) => {
    size.current = sizeOf(element);
    const before = anchor.current;
    const kept = before && lineOf(element, before.id);
    if (before === undefined) element.scrollTop = element.scrollHeight;
    else if (kept)
      element.scrollTop += kept.getBoundingClientRect().top - element.getBoundingClientRect().top - before.top;
  };
  const toEnd = () => {
    anchor.current = undefined;
    setPlace(undefined);
    if (list.current !== null) keep(list.current);
    onReading(document.visibilityState === 'visible');
  };
  const onScroll = () => {
    const element = list.current;
    if (element === null || messages.length === 0) return;
    // A telephone that is turned scrolls before its new size is known here.
    if (anchor.current === undefined && sizeOf(element) !== size.current) keep(element);
    const isNear = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX;
    anchor.current = isNear && to === messages.length ? undefined : getAnchor(element);
    setPlace(anchor.current && blockOf(anchor.current.id));
    onReading(anchor.current === undefined && document.visibilityState === 'visible');
    if (from === 0 && element.scrollTop < EARLY_PX) onOlder();
  };

  const isOutside = anchor.current !== undefined && !isAmong(messages, anchor.current.id);
  // biome-ignore lint/correctness/useExhaustiveDependencies: corrects the position after each change of the content
  useLayoutEffect(() => {
    if (list.current === null || messages.length === 0) return;
    // The chain began again, or the messages of the last visit are too old.
    if (isOutside) toEnd();
    else keep(list.current);
  }, [messages, from, to, added]);
  const show = (id: bigint) => {
    anchor.current = { id, top: 0 };
    setPlace(blockOf(id));
  };
  useTarget(target, { messages, list, show, onScroll });
  useResized([list, content], () => list.current !== null && keep(list.current));
  useOnVisibility(() => {
    onScroll();
    writeSetting('page', KEPT, anchor.current === undefined ? '' : `${anchor.current.id} ${anchor.current.top}`);
  });
  return { list, content, from, to, onScroll, toEnd };
}

interface TargetOptions extends Pick<Options, 'messages'>, Pick<ReadingPosition, 'list' | 'onScroll'> {
  /** Draws the messages around this one. */
  readonly show: (id: bigint) => void;
}

/** Scrolls to a message and gives it the focus, once it is drawn. */
function useTarget(target: Options['target'], { messages, list, show, onScroll }: TargetOptions): void {
  const wanted = useRef<bigint>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each target is shown once
  useLayoutEffect(() => {
    if (target === undefined || !isAmong(messages, target.id)) return;
    wanted.current = target.id;
    show(target.id);
  }, [target]);
  // It is drawn now, or after the place has changed.
  useLayoutEffect(() => {
    const line = wanted.current === undefined ? null : lineOf(list.current, wanted.current);
    if (line === null) return;
    wanted.current = undefined;
    line.scrollIntoView({ block: 'center' });
    line.focus({ preventScroll: true });
    onScroll();
  });
}

function useOnVisibility(changed: () => void): void {
  useEffect(() => {
    document.addEventListener('visibilitychange', changed);
    return () => document.removeEventListener('visibilitychange', changed);
  });
}

/** The keyboard of a telephone makes the list shorter, and a text can be unfolded. @param keep Reads references alone. */
function useResized(parts: readonly RefObject<HTMLElement | null>[], keep: () => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: one observer for the life of the list
  useEffect(() => {
    const observer = new ResizeObserver(keep);
    for (const { current } of parts) if (current !== null) observer.observe(current);
    return () => observer.disconnect();
  }, []);
}

/** A link to the page leads to the newest messages. */
function readAnchor(): Anchor | undefined {
  const [opened] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  if (opened?.type === 'navigate') return undefined;
  return readStored('page', KEPT, (text) => {
    const [id = '', top] = text.split(' ');
    return id === '' ? undefined : { id: BigInt(id), top: Number(top) };
  });
}

const sizeOf = ({ clientWidth, clientHeight, scrollHeight }: HTMLElement) =>
  `${clientWidth} ${clientHeight} ${scrollHeight}`;

const isAmong = (messages: readonly Message[], id: bigint): boolean =>
  id >= (messages[0]?.id ?? 0n) && id <= (messages.at(-1)?.id ?? -1n);

const lineOf = (list: HTMLElement | null, id: bigint) => list?.querySelector<HTMLElement>(`[data-id="${id}"]`) ?? null;

function getAnchor(list: HTMLElement): Anchor | undefined {
  const { top } = list.getBoundingClientRect();
  const line = [...list.querySelectorAll<HTMLElement>('[data-id]')].find(
    (each) => each.getBoundingClientRect().bottom > top,
  );
  return line && { id: BigInt(line.dataset.id ?? ''), top: line.getBoundingClientRect().top - top };
}
