import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

/** So close to the end that new messages are to be followed. */
const NEAR_PX = 48;
/** So close to the beginning that older ones are wanted. */
const EARLY_PX = 400;

interface Options {
  readonly onOlder: () => void;
  readonly onReading: (isReading: boolean) => void;
  /** Changes with everything that is added to the list. */
  readonly content: unknown;
}

export interface ReadingPosition {
  /** The part that scrolls, and its contents, whose height changes. */
  readonly list: RefObject<HTMLElement | null>;
  readonly content: RefObject<HTMLElement | null>;
  readonly onScroll: () => void;
  readonly toEnd: () => void;
  /** Shows a message of the list and gives it the focus. */
  readonly jump: (id: bigint) => void;
}

/** Follows the newest message at the end of a list, and elsewhere keeps the read messages in place, regardless of changes around them. */
export function useReadingPosition({ onOlder, onReading, content: added }: Options): ReadingPosition {
  const list = useRef<HTMLElement>(null);
  const content = useRef<HTMLElement>(null);
  const isAtEnd = useRef(true);
  const anchor = useRef<{ readonly id: string; readonly top: number }>(undefined);

  const remember = (element: HTMLElement) => {
    const top = element.getBoundingClientRect().top;
    const sheet = firstBelow([...element.querySelectorAll<HTMLElement>('ol')], top);
    const first = firstBelow([...(sheet?.querySelectorAll<HTMLElement>(':scope > [data-id]') ?? [])], top);
    anchor.current = first && { id: first.dataset.id ?? '', top: first.getBoundingClientRect().top - top };
  };
  const keep = (element: HTMLElement) => {
    const before = anchor.current;
    const kept = before && element.querySelector(`[data-id="${CSS.escape(before.id)}"]`);
    if (isAtEnd.current) element.scrollTop = element.scrollHeight;
    else if (kept)
      element.scrollTop += kept.getBoundingClientRect().top - element.getBoundingClientRect().top - before.top;
  };
  const onScroll = () => {
    const element = list.current;
    if (element === null) return;
    isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX;
    remember(element);
    onReading(isAtEnd.current && document.visibilityState === 'visible');
    if (element.scrollTop < EARLY_PX) onOlder();
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: corrects the position after each change of the content
  useLayoutEffect(() => {
    const element = list.current;
    if (element === null) return;
    keep(element);
    remember(element);
  }, [added]);

  // A panel that opens, or the keyboard of a telephone, makes the list shorter. Messages get their true height when they
  // come near the view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it reads references alone
  useEffect(() => {
    const element = list.current;
    if (element === null || content.current === null) return;
    const observer = new ResizeObserver(() => keep(element));
    observer.observe(element);
    observer.observe(content.current);
    return () => observer.disconnect();
  }, []);

  const toEnd = () => {
    isAtEnd.current = true;
    const element = list.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
    onReading(document.visibilityState === 'visible');
  };
  const jump = (id: bigint) => {
    const message = list.current?.querySelector<HTMLElement>(`[data-id="${id}"]`);
    if (message === null || message === undefined) return;
    message.scrollIntoView({ block: 'center' });
    message.focus({ preventScroll: true });
    onScroll();
  };
  return { list, content, onScroll, toEnd, jump };
}

/** The first element that ends below a line, of elements from top to bottom. */
function firstBelow(elements: readonly HTMLElement[], top: number): HTMLElement | undefined {
  let [low, high] = [0, elements.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((elements[middle]?.getBoundingClientRect().bottom ?? 0) > top) high = middle;
    else low = middle + 1;
  }
  return elements[low];
}
