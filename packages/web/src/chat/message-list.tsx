import { Fragment, memo, type ReactNode, useEffect, useMemo } from 'react';
import { colourClass, shortAddress } from './address-text.ts';
import { hasOlder, type Message } from './conversation.ts';
import type { Outgoing } from './outgoing.ts';
import type { LiveConversation } from './use-conversation.ts';
import { useReadingPosition } from './use-reading-position.ts';
import { visibleName, visibleText } from './visible-text.ts';

const WORDS = {
  waiting: 'sending…',
  accepted: 'accepted, waiting for its block…',
  ordered: 'ordered, waiting for execution…',
  executed: 'executed',
  firm: 'firm',
  refused: 'refused',
} as const;

interface ListProps {
  readonly conversation: LiveConversation;
  /** Number of the newest final block. */
  readonly firm: bigint;
  readonly outgoing: readonly Outgoing[];
  readonly address: string | undefined;
  readonly isConnected: boolean;
  readonly retry: (key: string) => void;
  readonly dismiss: (key: string) => void;
}

/** The messages of the chain in order, and after them those of this page that are not among them yet. */
export function MessageList({ conversation, firm, outgoing, address, isConnected, retry, dismiss }: ListProps) {
  const { messages, firstNew, unread, setReading, loadOlder } = conversation;
  const hashes = useMemo(() => new Set(messages.map(({ hash }) => hash)), [messages]);
  const pending = outgoing.filter(
    // The greeting has no hash, and neither has what is not signed yet.
    ({ intent, signed }) => intent.kind === 'text' && (signed === undefined || !hashes.has(signed.hash)),
  );
  const position = useReadingPosition({
    onOlder: loadOlder,
    onReading: setReading,
    content: `${messages[0]?.id} ${messages.at(-1)?.id} ${pending.map(({ key, state }) => key + state).join()}`,
  });
  const { list, toEnd, onScroll } = position;
  const sent = outgoing.at(-1)?.key;
  // biome-ignore lint/correctness/useExhaustiveDependencies: who sends something wants to see it
  useEffect(toEnd, [sent]);
  useEffect(() => {
    document.addEventListener('visibilitychange', onScroll);
    return () => document.removeEventListener('visibilitychange', onScroll);
  });
  const finals = new Set(outgoing.filter(({ state }) => state === 'firm').map(({ signed }) => signed?.hash));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <main ref={list} onScroll={onScroll} tabIndex={0} aria-label="Messages">
      {hasOlder(conversation) && (
        <button type="button" className="plain" onClick={loadOlder} disabled={!isConnected}>
          Show older messages
        </button>
      )}
      <ol>
        {messages.map((message) => (
          <Fragment key={String(message.id)}>
            {message.id === firstNew && (
              <li className="marker" data-id="marker">
                New messages
              </li>
            )}
            <Line
              message={message}
              isMine={message.address !== undefined && message.address === address}
              isFirm={(message.block ?? 0n) <= firm || finals.has(message.hash)}
            />
          </Fragment>
        ))}
        {pending.map((one) => (
          <li
            key={one.key}
            data-id={one.key}
            className={`line mine ${one.state === 'refused' ? 'refused' : 'pending'}`}
          >
            <p dir="auto">{one.intent.kind === 'text' && visibleText(one.intent.text)}</p>
            <small>
              {one.state === 'waiting' && !isConnected ? 'not sent yet: no connection' : WORDS[one.state]}
              {one.reason !== undefined && `: ${visibleText(one.reason)}`}
            </small>
            {one.state === 'refused' && (
              <div className="row">
                <button type="button" onClick={() => retry(one.key)}>
                  Send again
                </button>
                <button type="button" className="plain" onClick={() => dismiss(one.key)}>
                  Remove
                </button>
              </div>
            )}
          </li>
        ))}
      </ol>
      {messages.length === 0 && pending.length === 0 && <p>{isConnected ? 'Reading messages…' : ''}</p>}
      {unread > 0 && (
        <button type="button" className="to-end" onClick={toEnd}>
          {unread} new {unread === 1 ? 'message' : 'messages'} ↓
        </button>
      )}
    </main>
  );
}

interface LineProps {
  readonly message: Message;
  readonly isMine: boolean;
  readonly isFirm: boolean;
}

const Line = memo(function Line({ message: one, isMine, isFirm }: LineProps): ReactNode {
  const { id, sender, message, address, block, time, hash } = one;
  return (
    <li className={isMine ? 'line mine' : 'line'} data-id={String(id)}>
      <small title={hash}>
        <bdi className="name">{visibleName(sender)}</bdi>{' '}
        {address !== undefined && (
          <code className={colourClass(address)} title={address}>
            {shortAddress(address)}
          </code>
        )}
      </small>
      <p dir="auto">{visibleText(message)}</p>
      {block !== undefined && block > 0n && (
        <small>
          <time dateTime={time}>{timeOfDay(time)}</time> · block {String(block)} ·{' '}
          {isFirm ? WORDS.firm : WORDS.executed}
        </small>
      )}
    </li>
  );
});

function timeOfDay(time: string | undefined): string {
  const date = new Date(time ?? '');
  if (Number.isNaN(date.getTime())) return '';
  return date.toLocaleString(undefined, { dateStyle: 'short', timeStyle: 'medium' });
}
