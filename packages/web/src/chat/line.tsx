import { memo, useState } from 'react';
import type { Doubt } from '../ui/look-alike.ts';
import { Warning } from '../ui/name.tsx';
import { colourOf, shortId } from '../ui/short.ts';
import type { Message } from './conversation.ts';
import { Mark, WORDS } from './mark.tsx';
import { type Holders, MessageText } from './message-text.tsx';
import { splitReply } from './reply.ts';
import { isTime } from './timeline.ts';
import { dayName, exactTime, timeOfDay } from './times.ts';
import { toWarning, type Verdict } from './verify/verdict.ts';
import { beginning, visibleName, visibleText } from './visible-text.ts';

/** Reactions to a reader's clicks in the list; they never change. */
export interface MessageActions {
  readonly reply: (message: Message) => void;
  readonly jump: (id: bigint) => void;
  readonly author: (message: Message) => void;
}

export const NO_HOLDERS: Holders = new Map();

interface LineProps {
  readonly message: Message;
  /** Whether it shows its author and time. */
  readonly startsGroup: boolean;
  /** Whether that time has the day in it. */
  readonly isDated?: boolean;
  /** Whether it is shown apart from the conversation, and can be shown in its place there. */
  readonly canJump?: boolean;
  readonly isMine: boolean;
  readonly state: 'executed' | 'firm';
  readonly doubt: Doubt | undefined;
  readonly verdict?: Verdict | undefined;
  readonly holders?: Holders;
  readonly quoted?: Message | undefined;
  readonly isFound?: boolean;
  /** Tab index for its links and buttons: -1 if the tab key passes them by. */
  readonly tabIndex: 0 | -1;
  /** In the explorer. */
  readonly url: string | undefined;
  readonly actions: MessageActions;
}

export const Line = memo(function Line(props: LineProps) {
  const { message: one, startsGroup, isDated, canJump, isMine, isFound, actions } = props;
  const { doubt, verdict, holders = NO_HOLDERS, quoted, tabIndex } = props;
  const { id, sender, message, address, time } = one;
  const classes = `line${startsGroup ? ' first' : ''}${isMine ? ' mine' : ''}${isFound ? ' found' : ''}`;
  return (
    <li className={classes} data-id={String(id)} tabIndex={-1}>
      {startsGroup && (
        <p className="author">
          {address === undefined ? (
            <bdi className="name">{visibleName(sender)}</bdi>
          ) : (
            <button
              type="button"
              className="coloured"
              style={colourOf(address)}
              title={address}
              tabIndex={tabIndex}
              onClick={() => actions.author(one)}
            >
              <bdi className="name">{isMine ? 'You' : visibleName(sender)}</bdi>
              {!isMine && <code>{shortId(address)}</code>}
            </button>
          )}
          <Warning doubt={doubt} />
          {isTime(time) && (
            <time dateTime={time} title={exactTime(time)}>
              {isDated && `${dayName(time)}, `}
              {timeOfDay(time)}
            </time>
          )}
          {canJump && (
            <button type="button" className="plain" onClick={() => actions.jump(id)}>
              Show in place
            </button>
          )}
        </p>
      )}
      <div className="bubble">
        {quoted !== undefined && (
          <button type="button" className="quote" tabIndex={tabIndex} onClick={() => actions.jump(quoted.id)}>
            <Quoted message={quoted} />
          </button>
        )}
        <MessageText
          text={quoted === undefined ? message : splitReply(message).text}
          holders={holders}
          tabIndex={tabIndex}
        />
        <State {...props} />
        {verdict?.kind === 'false' && <strong className="doubt">⚠ {toWarning('a message', verdict)}</strong>}
      </div>
      <button type="button" className="reply" title="Reply" tabIndex={tabIndex} onClick={() => actions.reply(one)}>
        <span aria-hidden="true">↩</span>
        <span className="hidden">Reply</span>
      </button>
    </li>
  );
});

/** The mark of a message; a click shows its block, with its place in the explorer. */
function State({ message: { block = 0n, time }, state, verdict, url, tabIndex }: LineProps) {
  const [isOpen, setOpen] = useState(false);
  if (block === 0n) return null;
  const words = `${WORDS[state]}${verdict?.kind === 'verified' ? ' · verified' : ''}`;
  return (
    <>
      {isOpen && (
        <small className="facts">
          {exactTime(time)} ·{' '}
          {url === undefined ? (
            `block ${block}`
          ) : (
            <a href={url} tabIndex={tabIndex}>
              block {String(block)}
            </a>
          )}{' '}
          · {words}
        </small>
      )}
      <button
        type="button"
        className="state"
        tabIndex={tabIndex}
        title={`${words} · block ${block}`}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Mark state={state} />
        <span className="hidden">{words}</span>
      </button>
    </>
  );
}

const QUOTED = 120;

/** The author and the beginning of a message that another one answers. */
export function Quoted({ message: { sender, address, message } }: { readonly message: Message }) {
  const { text } = splitReply(message);
  return (
    <>
      <bdi className="name coloured" style={colourOf(address ?? '')}>
        {visibleName(sender)}
      </bdi>
      <span dir="auto">{visibleText(beginning(text, QUOTED)).replace(/\s+/g, ' ')}</span>
    </>
  );
}
