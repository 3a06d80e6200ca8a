import { inWords } from '@switchyard/protocol';
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import type { NameUse } from '../ui/look-alike.ts';
import { type NodeStatus, transactionUrl } from './api.ts';
import { hasOlder, type Message } from './conversation.ts';
import { Mark, WORDS } from './mark.tsx';
import { MessageText } from './message-text.tsx';
import type { Outgoing } from './outgoing.ts';
import { splitReply } from './reply.ts';
import { type MessageActions, NO_HOLDERS, Sheet } from './sheet.tsx';
import { getSheets, type Sheet as Run } from './timeline.ts';
import { getDay } from './times.ts';
import type { LiveConversation } from './use-conversation.ts';
import { useNames } from './use-names.ts';
import { useReadingPosition } from './use-reading-position.ts';
import type { Verdict } from './verify/verdict.ts';
import { visibleText } from './visible-text.ts';

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
  /** Whether something else is shown over the list. */
  readonly isCovered: boolean;
  /** A message to show, once for each object. */
  readonly target: { readonly id: bigint } | undefined;
  readonly actions: Pick<MessageActions, 'reply' | 'author'>;
  readonly retry: (key: string) => void;
  readonly dismiss: (key: string) => void;
}

const NO_QUOTED: ReadonlyMap<bigint, Message> = new Map();
const NO_HASHES: ReadonlySet<string> = new Set();
const NO_VERDICTS: ReadonlyMap<string, Verdict> = new Map();

/** The messages of the chain in order, and after them those of this page that are not among them yet. */
export function MessageList(props: ListProps) {
  const { conversation, status, ownNames, outgoing, address, verdicts, isConnected, isCovered, target } = props;
  const { messages, firstNew, unread, setReading, loadOlder } = conversation;
  const sheets = useSheets(messages);
  const mentioned = useMemo(() => new Set(sheets.flatMap(({ mentions }) => mentions)), [sheets]);
  const { doubts, holders } = useNames(ownNames, messages, mentioned);
  const quotedIn = useQuoted(sheets, messages);
  const hashes = useMemo(() => new Set(messages.map(({ hash }) => hash)), [messages]);
  const pending = outgoing.filter(
    // The greeting has no hash, and neither has an unsigned message.
    ({ intent, signed }) => intent.kind === 'text' && (signed === undefined || !hashes.has(signed.hash)),
  );
  const { list, content, toEnd, onScroll, jump } = useReadingPosition({
    onOlder: loadOlder,
    onReading: setReading,
    content: `${messages[0]?.id} ${messages.at(-1)?.id} ${pending.map(({ key, state }) => key + state).join()}`,
  });
  const [found, setFound] = useState<bigint>();
  const actions = useActions({ ...props.actions, jump, setFound });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each target is shown once
  useEffect(() => {
    if (target !== undefined) actions.jump(target.id);
  }, [target]);
  const sent = outgoing.at(-1)?.key;
  // biome-ignore lint/correctness/useExhaustiveDependencies: who sends something wants to see it
  useEffect(toEnd, [sent]);
  useEffect(() => {
    document.addEventListener('visibilitychange', onScroll);
    return () => document.removeEventListener('visibilitychange', onScroll);
  });
  const finals = useFinals(outgoing);
  const firm = status?.firm ?? 0n;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable parts must be reachable by keyboard
    <main id="main" ref={list} onScroll={onScroll} tabIndex={0} aria-label="Messages" inert={isCovered}>
      <div className="column" ref={content as RefObject<HTMLDivElement | null>}>
        {hasOlder(conversation) && (
          <button type="button" className="plain older" onClick={loadOlder} disabled={!isConnected}>
            Show older messages
          </button>
        )}
        {sheets.map((sheet) => {
          const last = sheet.rows.at(-1)?.message;
          const isFirm = (last?.block ?? 0n) <= firm;
          return (
            // A sheet gets only the data that it shows, so that it is drawn again only when that changes.
            <Sheet
              key={sheet.key}
              sheet={sheet}
              firstNew={isIn(sheet, firstNew) ? firstNew : undefined}
              firm={isFirm ? (last?.block ?? 0n) : firm}
              finals={isFirm ? NO_HASHES : finals}
              doubts={doubts}
              verdicts={sheet.rows.some(({ message }) => verdicts.has(message.hash ?? '')) ? verdicts : NO_VERDICTS}
              holders={sheet.mentions.length > 0 ? holders : NO_HOLDERS}
              quoted={quotedIn(sheet)}
              reader={address}
              found={isIn(sheet, found) ? found : undefined}
              transactions={transactionUrl(status, '')}
              actions={actions}
            />
          );
        })}
        <ol>
          {pending.map((one, at) => (
            <Pending key={one.key} {...props} one={one} isFirst={at === 0 && messages.at(-1)?.address !== address} />
          ))}
        </ol>
        {messages.length === 0 && pending.length === 0 && <p>{isConnected ? 'Reading messages…' : ''}</p>}
      </div>
      {unread > 0 && (
        <button type="button" className="to-end" onClick={toEnd}>
          {unread} new {unread === 1 ? 'message' : 'messages'} ↓
        </button>
      )}
    </main>
  );
}

function useSheets(messages: readonly Message[]): readonly Run[] {
  const known = useRef<readonly Run[]>([]);
  return useMemo(() => {
    known.current = getSheets(messages, getDay, known.current);
    return known.current;
  }, [messages]);
}

const isIn = ({ rows }: Run, id: bigint | undefined): boolean =>
  id !== undefined && id >= (rows[0]?.message.id ?? 0n) && id <= (rows.at(-1)?.message.id ?? -1n);

/** The messages that those of a sheet answer, if loaded: the previous map, while it is equal. */
function useQuoted(sheets: readonly Run[], messages: readonly Message[]): (sheet: Run) => ReadonlyMap<bigint, Message> {
  const known = useRef<ReadonlyMap<string, ReadonlyMap<bigint, Message>>>(new Map());
  const all = useMemo(() => {
    const answered = sheets
      .filter(({ hasReplies }) => hasReplies)
      .map((sheet) => {
        const quoted = quotedBy(sheet, messages);
        const before = known.current.get(sheet.key);
        const isEqual =
          before?.size === quoted.size && [...quoted].every(([id, message]) => before.get(id) === message);
        return [sheet.key, isEqual ? before : quoted] as const;
      });
    known.current = new Map(answered);
    return known.current;
  }, [sheets, messages]);
  return ({ key }) => all.get(key) ?? NO_QUOTED;
}

function quotedBy({ rows }: Run, messages: readonly Message[]): ReadonlyMap<bigint, Message> {
  const quoted = new Map<bigint, Message>();
  const first = messages[0]?.id ?? 0n;
  for (const { message, replyTo } of rows) {
    // Nothing answers what comes later.
    if (replyTo === undefined || replyTo < first || replyTo >= message.id) continue;
    const answered = messages[Number(replyTo - first)];
    if (answered !== undefined) quoted.set(replyTo, answered);
  }
  return quoted;
}

/** Hashes of this page's messages that are firm, which it learns before the next look at the node's status. */
function useFinals(outgoing: readonly Outgoing[]): ReadonlySet<string> {
  const key = outgoing.flatMap(({ state, signed }) => (state === 'firm' && signed ? [signed.hash] : [])).join();
  return useMemo(() => new Set(key.split(',')), [key]);
}

/** One object for the life of the list, whose functions call the newest ones. */
function useActions(newest: MessageActions & { readonly setFound: (id: bigint) => void }): MessageActions {
  const current = useRef(newest);
  current.current = newest;
  return useMemo(
    () => ({
      reply: (message) => current.current.reply(message),
      author: (message) => current.current.author(message),
      jump(id) {
        current.current.setFound(id);
        current.current.jump(id);
      },
    }),
    [],
  );
}

interface PendingProps extends ListProps {
  readonly one: Outgoing;
  /** Whether the message before it is of another author. */
  readonly isFirst: boolean;
}

/** A message of this page that is in no block yet. */
function Pending({ one, isFirst, status, isConnected, retry, dismiss }: PendingProps) {
  const { key, state, intent, reason } = one;
  const isOffline = state === 'waiting' && !isConnected;
  return (
    <li data-id={key} className={`line mine ${isFirst ? 'first ' : ''}${state === 'refused' ? 'refused' : 'pending'}`}>
      {isFirst && (
        <p className="author">
          <bdi className="name">You</bdi>
        </p>
      )}
      <div className="bubble">
        {intent.kind === 'text' && <MessageText text={splitReply(intent.text).text} holders={NO_HOLDERS} />}
        {(isOffline || state === 'refused') && (
          <small className="facts">
            {isOffline ? 'not sent yet: no connection' : WORDS[state]}
            {reason !== undefined &&
              `: ${visibleText(inWords(reason, status === undefined ? [] : [status.nativeAsset]))}`}
          </small>
        )}
        <span className="state" title={WORDS[state]}>
          <Mark state={state} />
          <span className="hidden">{WORDS[state]}</span>
        </span>
        {state === 'refused' && (
          <div className="row">
            <button type="button" onClick={() => retry(key)}>
              Send again
            </button>
            <button type="button" className="plain" onClick={() => dismiss(key)}>
              Remove
            </button>
          </div>
        )}
      </div>
    </li>
  );
}
