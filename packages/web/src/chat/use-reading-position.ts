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
  readonly list: RefObject<HTMLElement | null>;
  readonly onScroll: () => void;
  readonly toEnd: () => void;
}

/** Follows the newest message at the end of a list, and elsewhere keeps what is read where it is, whatever is added around it. */
export function useReadingPosition({ onOlder, onReading, content }: Options): ReadingPosition {
  const list = useRef<HTMLElement>(null);
  const isAtEnd = useRef(true);
  const anchor = useRef<{ readonly id: string; readonly top: number }>(undefined);

  const remember = (element: HTMLElement) => {
    const shown = [...element.querySelectorAll<HTMLElement>('[data-id]')];
    const top = element.getBoundingClientRect().top;
    const first = shown.find((each) => each.getBoundingClientRect().bottom > top);
    anchor.current = first && { id: first.dataset.id ?? '', top: first.getBoundingClientRect().top };
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
    const before = anchor.current;
    const kept = before && element.querySelector(`[data-id="${CSS.escape(before.id)}"]`);
    if (isAtEnd.current) element.scrollTop = element.scrollHeight;
    else if (kept) element.scrollTop += kept.getBoundingClientRect().top - before.top;
    remember(element);
  }, [content]);

  // A panel that opens, or the keyboard of a telephone, makes the list shorter.
  useEffect(() => {
    const element = list.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) element.scrollTop = element.scrollHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const toEnd = () => {
    isAtEnd.current = true;
    const element = list.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
    onReading(document.visibilityState === 'visible');
  };
  return { list, onScroll, toEnd };
}
