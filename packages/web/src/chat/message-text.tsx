import { useLayoutEffect, useRef, useState } from 'react';
import { colourOf } from '../ui/short.ts';
import { getParts } from './text-parts.ts';
import { visibleName, visibleText } from './visible-text.ts';

/** Addresses of accounts by the names that they use. */
export type Holders = ReadonlyMap<string, string>;

interface MessageTextProps {
  readonly text: string;
  readonly holders: Holders;
  /** Tab index for its links and buttons. */
  readonly tabIndex?: 0 | -1;
}

/** The text of a message. A text longer than most of a screen begins cut, so that none pushes the others away. */
export function MessageText({ text, holders, tabIndex = 0 }: MessageTextProps) {
  const paragraph = useRef<HTMLParagraphElement>(null);
  const [isLong, setLong] = useState(false);
  /** Absent until it was chosen. */
  const [isOpen, setOpen] = useState<boolean>();
  const canBeLong = !isShort(text);
  useLayoutEffect(() => {
    const element = paragraph.current;
    if (element === null || !canBeLong) return;
    if (isOpen !== undefined) element.parentElement?.scrollIntoView();
    if (isOpen) return;
    const observer = new ResizeObserver(() => setLong(element.scrollHeight > element.clientHeight + 1));
    observer.observe(element);
    return () => observer.disconnect();
  }, [isOpen, canBeLong]);
  return (
    <>
      <p dir="auto" ref={paragraph} className={isOpen ? undefined : 'cut'}>
        {getParts(visibleText(text), (name) => holders.has(name)).map((part, at) => {
          switch (part.kind) {
            case 'text':
              return part.text;
            case 'link':
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change their places
                <a key={at} href={part.href} target="_blank" rel="noopener noreferrer nofollow" tabIndex={tabIndex}>
                  {part.href}
                </a>
              );
            case 'mention':
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change their places
                <strong key={at} className="coloured" style={colourOf(holders.get(part.name) ?? '')}>
                  @{visibleName(part.name)}
                </strong>
              );
            default:
              return part satisfies never;
          }
        })}
      </p>
      {isLong && (
        <button
          type="button"
          className="plain"
          tabIndex={tabIndex}
          aria-expanded={isOpen === true}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? 'Show less' : 'Show more'}
        </button>
      )}
    </>
  );
}

/** Whether a text is so short that it need not be measured: letters of ordinary width, in few lines even on a telephone. */
const isShort = (text: string): boolean => /^[\x20-\x7e]{0,200}$/.test(text);
