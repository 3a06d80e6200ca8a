import { memo, useState } from 'react';
import { type Doubt, keyOfUse } from '../ui/look-alike.ts';
import { Warning } from '../ui/name.tsx';
import { colourClass, shortId } from '../ui/short.ts';
import type { Message } from './conversation.ts';
import { Mark, WORDS } from './mark.tsx';
import { type Holders, MessageText } from './message-text.tsx';
import { splitReply } from './reply.ts';
import { isTime, type Sheet as Run } from './timeline.ts';
import { dayName, exactTime, timeOfDay } from './times.ts';
import { toWarning, type Verdict } from './verify/verdict.ts';
import { beginning, visibleName, visibleText } from './visible-text.ts';

/** Reactions to a reader's clicks in the list; they never change. */
export interface MessageActions {
  readonly reply: (message: Message) => void;
  readonly jump: (id: bigint) => void;
  readonly author: (message: Message) => void;
}

interface SheetProps {
  readonly sheet: Run;
  readonly firstNew: bigint | undefined;
  /** Blocks up to this one are firm. */
  readonly firm: bigint;
  /** Hashes of messages that are known to be firm before their block is. */
  readonly finals: ReadonlySet<string>;
  readonly doubts: ReadonlyMap<string, Doubt>;
  /** About messages of the reader, by hash. */
  readonly verdicts: ReadonlyMap<string, Verdict>;
  readonly holders: Holders;
  /** Messages that are answered, by id. */
  readonly quoted: ReadonlyMap<bigint, Message>;
  /** Address of the reader. */
  readonly reader: string | undefined;
  /** The message that was jumped to. */
  readonly found: bigint | undefined;
  /** Address of a transaction in the explorer, without its hash. */
  readonly transactions: string | undefined;
  readonly actions: MessageActions;
}

/** Some messages in a row. The browser lays out only the sheets near the visible ones. */
export const Sheet = memo(function Sheet({ sheet, firstNew, firm, finals, doubts, verdicts, ...rest }: SheetProps) {
  const { holders, quoted, reader, found, transactions, actions } = rest;
  return (
    <ol className="sheet">
      {sheet.rows.map(({ message, startsDay, startsGroup, replyTo }) => {
        const { id, hash, address, sender, time, block = 0n } = message;
        return [
          startsDay && (
            <li key={`day-${id}`} className="day">
              <time dateTime={time}>{dayName(time ?? '')}</time>
            </li>
          ),
          id === firstNew && (
            <li key="marker" className="marker" data-id="marker">
              New messages
            </li>
          ),
          <Line
            key={String(id)}
            message={message}
            startsGroup={startsGroup || id === firstNew}
            isMine={address !== undefined && address === reader}
            state={block <= firm || finals.has(hash ?? '') ? 'firm' : 'executed'}
            doubt={doubts.get(keyOfUse(sender, address ?? ''))}
            verdict={verdicts.get(hash ?? '')}
            holders={message.message.includes('@') ? holders : NO_HOLDERS}
            quoted={replyTo === undefined ? undefined : quoted.get(replyTo)}
            isFound={id === found}
            url={transactions === undefined || hash === undefined ? undefined : `${transactions}${hash}`}
            actions={actions}
          />,
        ];
      })}
    </ol>
  );
});

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
  /** In the explorer. */
  readonly url: string | undefined;
  readonly actions: MessageActions;
}

export const Line = memo(function Line(props: LineProps) {
  const { message: one, startsGroup, isDated, canJump, isMine, isFound, actions } = props;
  const { doubt, verdict, holders = NO_HOLDERS, quoted } = props;
  const { id, sender, message, address, time } = one;
  const classes = `line${startsGroup ? ' first' : ''}${isMine ? ' mine' : ''}${isFound ? ' found' : ''}`;
  return (
    <li className={classes} data-id={String(id)} tabIndex={-1}>
      {startsGroup && (
        <p className="author">
          {address === undefined ? (
            <bdi className="name">{visibleName(sender)}</bdi>
          ) : (
            <button type="button" className={colourClass(address)} title={address} onClick={() => actions.author(one)}>
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
          <button type="button" className="quote" onClick={() => actions.jump(quoted.id)}>
            <Quoted message={quoted} />
          </button>
        )}
        <MessageText text={quoted === undefined ? message : splitReply(message).text} holders={holders} />
        <State {...props} />
        {verdict?.kind === 'false' && <strong className="doubt">⚠ {toWarning('a message', verdict)}</strong>}
      </div>
      <button type="button" className="reply" title="Reply" onClick={() => actions.reply(one)}>
        <span aria-hidden="true">↩</span>
        <span className="hidden">Reply</span>
      </button>
    </li>
  );
});

/** The mark of a message; a click shows its block, with its place in the explorer. */
function State({ message: { block = 0n, time }, state, verdict, url }: LineProps) {
  const [isOpen, setOpen] = useState(false);
  if (block === 0n) return null;
  const words = `${WORDS[state]}${verdict?.kind === 'verified' ? ' · verified' : ''}`;
  return (
    <>
      {isOpen && (
        <small className="facts">
          {exactTime(time)} · {url === undefined ? `block ${block}` : <a href={url}>block {String(block)}</a>} · {words}
        </small>
      )}
      <button
        type="button"
        className="state"
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
      <bdi className={`name ${colourClass(address ?? '')}`}>{visibleName(sender)}</bdi>
      <span dir="auto">{visibleText(beginning(text, QUOTED)).replace(/\s+/g, ' ')}</span>
    </>
  );
}
