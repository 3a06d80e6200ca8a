import { inWords } from '@switchyard/protocol';
import { type KeyboardEvent, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { keyOfUse, type NameUse } from '../ui/look-alike.ts';
import { explorerUrl, type NodeStatus } from './api.ts';
import { hasOlder } from './conversation.ts';
import { Line, type MessageActions, NO_HOLDERS } from './line.tsx';
import { isOver, Mark, WORDS } from './mark.tsx';
import { MessageText } from './message-text.tsx';
import { splitReply } from './reply.ts';
import { getRows } from './timeline.ts';
import { dayName, getDay } from './times.ts';
import type { LiveConversation } from './use-conversation.ts';
import { useNames } from './use-names.ts';
import { useReadingPosition } from './use-reading-position.ts';
import type { Outgoing } from './use-sent.ts';
import type { Verdict } from './verify/verdict.ts';
import { visibleText } from './visible-text.ts';

interface ListProps {
  readonly conversation: LiveConversation;
  readonly status: NodeStatus | undefined;
  /** Names of the accounts of this browser. */
  readonly ownNames: readonly NameUse[];
  readonly isConnected: boolean;
  /** The newest firm block. */
  readonly firm: bigint;
  readonly outgoing: readonly Outgoing[];
  readonly retry: (one: Outgoing) => void;
  readonly address: string | undefined;
  /** About messages of this account, by hash. */
  readonly verdicts: ReadonlyMap<string, Verdict>;
  /** Whether something else is shown over the list. */
  readonly isCovered: boolean;
  /** A message to show, once for each object. */
  readonly target: { readonly id: bigint } | undefined;
  readonly actions: MessageActions;
}

/**
 * The messages of the chain in order, and after them those of this page that are not among them yet. For the tab key it is one
 * place; the arrow keys go from message to message, and what can be clicked in the one with the focus comes after it.
 */
export function MessageList(props: ListProps) {
  const { conversation, status, isConnected, firm, ownNames, outgoing } = props;
  const { address, verdicts, isCovered, target, actions } = props;
  const { messages, firstNew, unread, isReading, setReading, loadOlder } = conversation;
  const hashes = useMemo(() => new Set(messages.map(({ hash }) => hash)), [messages]);
  const pending = outgoing.filter(
    // The greeting has no hash, and neither has an unsigned message, which another tab may have sent or removed.
    ({ action, hash, state }) =>
      action?.kind === 'sendText' && (hash === undefined ? state !== 'unknown' : !hashes.has(hash)),
  );
  const { list, content, from, to, onScroll, toEnd } = useReadingPosition({
    messages,
    added: pending.map(({ key, state }) => key + state).join(),
    target,
    onOlder: loadOlder,
    onReading: setReading,
  });
  const shown = useMemo(() => messages.slice(from, to), [messages, from, to]);
  const rows = useMemo(() => getRows(shown, messages[from - 1], getDay), [shown, messages, from]);
  const { doubts, holders } = useNames(ownNames, messages, shown);
  const [focused, setFocused] = useState<string>();
  const sent = outgoing.at(-1)?.key;
  const firstSent = useRef(sent);
  // biome-ignore lint/correctness/useExhaustiveDependencies: who sends something wants to see it
  useEffect(() => {
    if (sent !== firstSent.current) toEnd();
  }, [sent]);
  const first = messages[0]?.id ?? 0n;
  return (
    <>
      <main
        id="main"
        ref={list}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable parts must be reachable by keyboard
        tabIndex={0}
        aria-label="Messages"
        inert={isCovered}
        onScroll={onScroll}
        onKeyDown={moveFocus}
        onFocus={({ target }) => setFocused((target as HTMLElement).closest<HTMLElement>('[data-id]')?.dataset.id)}
        onBlur={({ relatedTarget }) => relatedTarget === null || setFocused(undefined)}
      >
        <div className="column" ref={content as RefObject<HTMLDivElement | null>}>
          {from === 0 && hasOlder(conversation) && (
            <button type="button" className="plain older" onClick={loadOlder} disabled={!isConnected}>
              Show older messages
            </button>
          )}
          <ol>
            {rows.flatMap(({ message, startsDay, startsGroup, replyTo }) => {
              const { id, hash = '', address: author, sender, time, block = 0n, message: text } = message;
              return [
                startsDay && (
                  <li key={`day-${id}`} className="day">
                    <time dateTime={time}>{dayName(time ?? '')}</time>
                  </li>
                ),
                id === firstNew && (
                  <li key="marker" className="marker">
                    New messages
                  </li>
                ),
                <Line
                  key={String(id)}
                  message={message}
                  startsGroup={startsGroup || id === firstNew}
                  isMine={author !== undefined && author === address}
                  state={block <= firm ? 'firm' : 'executed'}
                  doubt={doubts.get(keyOfUse(sender, author ?? ''))}
                  verdict={verdicts.get(hash)}
                  holders={text.includes('@') ? holders : NO_HOLDERS}
                  // Nothing answers what comes later.
                  quoted={replyTo === undefined || replyTo >= id ? undefined : messages[Number(replyTo - first)]}
                  isFound={id === target?.id}
                  tabIndex={String(id) === focused ? 0 : -1}
                  url={explorerUrl(status, 'transactions', message.hash)}
                  actions={actions}
                />,
              ];
            })}
            {pending.map((one, at) => (
              <Pending key={one.key} {...props} one={one} isFirst={at === 0 && messages.at(-1)?.address !== address} />
            ))}
          </ol>
          {messages.length === 0 && pending.length === 0 && isConnected && <Outline />}
        </div>
      </main>
      {!isReading && !isCovered && (
        <button type="button" className="to-end small" onClick={toEnd}>
          {unread === 0 ? 'Newest' : `${unread} new ${unread === 1 ? 'message' : 'messages'}`} ↓
        </button>
      )}
    </>
  );
}

/** The shape of messages that are read from the node. */
const Outline = () => (
  <>
    <p className="hidden">Reading messages…</p>
    {['', '', 'mine', ''].map((kind, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they never change
      <div key={index} className={`line first ${kind}`} aria-hidden="true">
        <div className="bubble outline" />
      </div>
    ))}
  </>
);

/** From the list itself to the last message in view. */
function moveFocus(event: KeyboardEvent<HTMLElement>) {
  const { key, target, currentTarget: list } = event;
  const step = { ArrowUp: -1, ArrowDown: 1 }[key];
  const lines = [...list.querySelectorAll<HTMLElement>('.line')];
  const at = lines.indexOf(target as HTMLElement);
  if (step === undefined || (at < 0 && target !== list)) return;
  event.preventDefault();
  const { bottom } = list.getBoundingClientRect();
  const next = at < 0 ? lines.findLast((line) => line.getBoundingClientRect().top < bottom) : lines[at + step];
  next?.focus();
}

interface PendingProps extends ListProps {
  readonly one: Outgoing;
  /** Whether the message before it is of another author. */
  readonly isFirst: boolean;
}

/** A message of this page that is in no block yet. */
function Pending({ one, isFirst, status, isConnected, retry }: PendingProps) {
  const { state, action, reason, sent } = one;
  const isOffline = !isConnected && (state === 'waiting' || state === 'shown');
  return (
    <li tabIndex={-1} className={`line mine ${isFirst ? 'first ' : ''}${isOver(state) ? 'refused' : 'pending'}`}>
      {isFirst && (
        <p className="author">
          <bdi className="name">You</bdi>
        </p>
      )}
      <div className="bubble">
        {action?.kind === 'sendText' && <MessageText text={splitReply(action.text).text} holders={NO_HOLDERS} />}
        {isOffline && <small className="facts">not sent yet: no connection</small>}
        {state === 'held' && <small className="facts">not sent yet: it goes out with your first coins</small>}
        {isOver(state) && (
          <small className="facts">
            {WORDS[state]}: {visibleText(inWords(reason ?? '', status === undefined ? [] : [status.nativeAsset]))}
          </small>
        )}
        <span className="state" title={WORDS[state]}>
          <Mark state={state} />
          <span className="hidden">{WORDS[state]}</span>
        </span>
        {(isOver(state) || state === 'held') && (
          <div className="row">
            {isOver(state) && (
              <button type="button" onClick={() => retry(one)}>
                Send again
              </button>
            )}
            <button type="button" className="plain" onClick={() => sent.forget()}>
              Remove
            </button>
          </div>
        )}
      </div>
    </li>
  );
}
