import { inWords } from '@switchyard/protocol';
import { Fragment, memo, type ReactNode, useEffect, useMemo } from 'react';
import { colourClass, shortId } from '../ui/short.ts';
import type { NodeStatus } from './api.ts';
import { hasOlder, type Message } from './conversation.ts';
import { transactionUrl } from './explorer-links.ts';
import { type Doubt, doubtsOf, keyOfUse, type NameUse } from './look-alike.ts';
import { MessageText } from './message-text.tsx';
import type { Outgoing } from './outgoing.ts';
import type { LiveConversation } from './use-conversation.ts';
import { useReadingPosition } from './use-reading-position.ts';
import { type Verdict, warningOf } from './verify/verdict.ts';
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
  readonly status: NodeStatus | undefined;
  /** Names of the accounts of this browser. */
  readonly ownNames: readonly NameUse[];
  readonly outgoing: readonly Outgoing[];
  readonly address: string | undefined;
  /** About messages of this account, by hash. */
  readonly verdicts: ReadonlyMap<string, Verdict>;
  readonly isConnected: boolean;
  readonly retry: (key: string) => void;
  readonly dismiss: (key: string) => void;
}

/** The messages of the chain in order, and after them those of this page that are not among them yet. */
export function MessageList({
  conversation,
  status,
  ownNames,
  outgoing,
  address,
  verdicts,
  isConnected,
  retry,
  dismiss,
}: ListProps) {
  const { messages, firstNew, unread, setReading, loadOlder } = conversation;
  const firm = status?.firm ?? 0n;
  const doubts = useMemo(
    () =>
      doubtsOf(
        ownNames,
        messages.flatMap((one) => (one.address === undefined ? [] : [[one.sender, one.address] as const])),
      ),
    [ownNames, messages],
  );
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
              doubt={doubts.get(keyOfUse(message.sender, message.address ?? ''))}
              verdict={verdicts.get(message.hash ?? '')}
              url={transactionUrl(status, message.hash)}
            />
          </Fragment>
        ))}
        {pending.map((one) => (
          <li
            key={one.key}
            data-id={one.key}
            className={`line mine ${one.state === 'refused' ? 'refused' : 'pending'}`}
          >
            {one.intent.kind === 'text' && <MessageText text={one.intent.text} />}
            <small>
              {one.state === 'waiting' && !isConnected ? 'not sent yet: no connection' : WORDS[one.state]}
              {one.reason !== undefined &&
                `: ${visibleText(inWords(one.reason, status === undefined ? [] : [status.nativeAsset]))}`}
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
  readonly doubt: Doubt | undefined;
  readonly verdict: Verdict | undefined;
  /** In the explorer. */
  readonly url: string | undefined;
}

const Line = memo(function Line({ message: one, isMine, isFirm, doubt, verdict, url }: LineProps): ReactNode {
  const { id, sender, message, address, block, time, hash } = one;
  return (
    <li className={isMine ? 'line mine' : 'line'} data-id={String(id)}>
      <small title={hash}>
        <bdi className="name">{visibleName(sender)}</bdi>{' '}
        {address !== undefined && (
          <code className={colourClass(address)} title={address}>
            {shortId(address)}
          </code>
        )}
        {doubt !== undefined && (
          <strong className="doubt">
            {' '}
            ⚠ <DoubtText doubt={doubt} />
          </strong>
        )}
      </small>
      <MessageText text={message} />
      {block !== undefined && block > 0n && (
        <small>
          <time dateTime={time}>{timeOfDay(time)}</time> ·{' '}
          {url === undefined ? `block ${block}` : <a href={url}>block {String(block)}</a>} ·{' '}
          {isFirm ? WORDS.firm : WORDS.executed}
          {verdict?.kind === 'verified' && ' · verified'}
        </small>
      )}
      {verdict?.kind === 'false' && <strong className="doubt">⚠ {warningOf('a message', verdict)}</strong>}
    </li>
  );
});

function DoubtText({ doubt }: { readonly doubt: Doubt }) {
  if (doubt.kind === 'mixed-scripts') return 'name of mixed scripts';
  return (
    <>
      not the <bdi className="name">{visibleName(doubt.name)}</bdi> of {shortId(doubt.address)}
    </>
  );
}

function timeOfDay(time: string | undefined): string {
  const date = new Date(time ?? '');
  if (Number.isNaN(date.getTime())) return '';
  return date.toLocaleString(undefined, { dateStyle: 'short', timeStyle: 'medium' });
}
