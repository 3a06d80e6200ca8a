import { useLayoutEffect, useRef, useState } from 'react';
import { visibleText } from './visible-text.ts';

/** The text of a message. One that is longer than most of a screen begins cut, so that none pushes the others away. */
export function MessageText({ text }: { readonly text: string }) {
  const paragraph = useRef<HTMLParagraphElement>(null);
  const [isLong, setLong] = useState(false);
  /** Absent until it was chosen. */
  const [isOpen, setOpen] = useState<boolean>();
  useLayoutEffect(() => {
    const element = paragraph.current;
    if (element === null) return;
    if (isOpen !== undefined) element.parentElement?.scrollIntoView();
    if (isOpen) return;
    const observer = new ResizeObserver(() => setLong(element.scrollHeight > element.clientHeight + 1));
    observer.observe(element);
    return () => observer.disconnect();
  }, [isOpen]);
  return (
    <>
      <p dir="auto" ref={paragraph} className={isOpen ? undefined : 'cut'}>
        {visibleText(text)}
      </p>
      {isLong && (
        <button type="button" className="plain" aria-expanded={isOpen === true} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Show less' : 'Show more'}
        </button>
      )}
    </>
  );
}
