import { RollupRefused } from '@switchyard/client/rollup';
import { findMessages } from '@switchyard/messenger/client';
import { useEffect, useMemo, useRef, useState } from 'react';
import { keyOfUse, type NameUse } from '../ui/look-alike.ts';
import { shortId } from '../ui/short.ts';
import { explorerUrl, type NodeStatus, node } from './api.ts';
import type { Message } from './conversation.ts';
import { Line, type MessageActions } from './line.tsx';
import { useNames } from './use-names.ts';
import { visibleName } from './visible-text.ts';

/** Time without a key after which the node is queried. */
const PAUSE_MS = 250;
const PAGE = 50;

/** The account whose messages are wanted. */
export interface Author {
  readonly name: string;
  readonly address: string;
}

interface SearchProps {
  /** Undefined for messages of all accounts. */
  readonly author: Author | undefined;
  readonly setAuthor: (author: Author | undefined) => void;
  readonly close: () => void;
  /** The messages that are here already: searched without a connection, and shown in their place. */
  readonly loaded: readonly Message[];
  readonly ownNames: readonly NameUse[];
  readonly reader: string | undefined;
  readonly status: NodeStatus | undefined;
  /** The newest firm block. */
  readonly firm: bigint;
  readonly isConnected: boolean;
  readonly actions: MessageActions;
}

interface Found {
  readonly messages: readonly Message[];
  /** Cursor of the page of older ones; undefined if there is none. */
  readonly older: bigint | undefined;
}

/** Finds messages by their words and their author. The node searches; without a connection the loaded messages are searched. */
export function Search(props: SearchProps) {
  const { author, setAuthor, close, loaded, ownNames, reader, status, firm, isConnected, actions } = props;
  const [words, setWords] = useState('');
  const { found, problem, isAsking, more } = useFound(words.trim(), author?.address, props);
  const { doubts } = useNames(ownNames, loaded);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const isWanted = words.trim() !== '' || author !== undefined;
  return (
    <search className="search" onKeyDown={(event) => event.key === 'Escape' && close()}>
      <div className="column">
        <div className="row">
          <input
            ref={input}
            type="search"
            aria-label="Words to search for"
            placeholder="Search messages"
            value={words}
            onChange={(event) => setWords(event.currentTarget.value)}
          />
          <button type="button" className="plain" onClick={close}>
            Close
          </button>
        </div>
        {author !== undefined && (
          <p className="row">
            Messages of <bdi className="name">{visibleName(author.name)}</bdi> <code>{shortId(author.address)}</code>
            <button type="button" className="plain" onClick={() => setAuthor(undefined)}>
              All authors
            </button>
          </p>
        )}
        <p role="status" className={problem === undefined ? 'hint' : 'problem'}>
          {problem ?? (isWanted && !isAsking && found.messages.length === 0 ? 'No message was found.' : '')}
          {isWanted && !isConnected && ' Without a connection, only messages that are here are searched.'}
        </p>
        <ol>
          {found.messages.map((message) => (
            <Line
              key={String(message.id)}
              message={message}
              tabIndex={0}
              startsGroup
              isDated
              canJump={message.id >= (loaded[0]?.id ?? 0n) && message.id <= (loaded.at(-1)?.id ?? -1n)}
              isMine={message.address !== undefined && message.address === reader}
              state={(message.block ?? 0n) <= firm ? 'firm' : 'executed'}
              doubt={doubts.get(keyOfUse(message.sender, message.address ?? ''))}
              url={explorerUrl(status, 'transactions', message.hash)}
              actions={actions}
            />
          ))}
        </ol>
        {found.older !== undefined && isConnected && (
          <button type="button" className="plain" onClick={more} disabled={isAsking}>
            Search older messages
          </button>
        )}
      </div>
    </search>
  );
}

const NOTHING: Found = { messages: [], older: undefined };

function useFound(q: string, sender: string | undefined, { loaded, isConnected }: SearchProps) {
  const [found, setFound] = useState<Found>(NOTHING);
  const [problem, setProblem] = useState<string>();
  const [cursor, setCursor] = useState<{ readonly question: string; readonly before: bigint | undefined }>();
  const [isAsking, setAsking] = useState(false);
  const question = `${sender} ${q}`;
  // Another question begins again.
  const before = cursor?.question === question ? cursor.before : undefined;
  useEffect(() => {
    if (!isConnected) return;
    setProblem(undefined);
    if (q === '' && sender === undefined) return setFound(NOTHING);
    const stop = new AbortController();
    const ask = async () => {
      const query = { ...(q !== '' && { q }), ...(sender !== undefined && { sender }) };
      const page = { ...(before !== undefined && { before }), limit: PAGE, signal: stop.signal };
      try {
        const { messages: found, older } = await findMessages(node, { ...query, ...page });
        if (stop.signal.aborted) return;
        setFound((known) => ({ messages: before === undefined ? found : [...known.messages, ...found], older }));
      } catch (error) {
        if (!stop.signal.aborted)
          setProblem(
            error instanceof RollupRefused ? error.message : 'The node does not answer. Try again in a moment.',
          );
      }
      if (!stop.signal.aborted) setAsking(false);
    };
    setAsking(true);
    const timer = window.setTimeout(() => void ask(), before === undefined ? PAUSE_MS : 0);
    return () => {
      window.clearTimeout(timer);
      stop.abort();
    };
  }, [q, sender, before, isConnected]);
  const here = useMemo(() => (isConnected ? undefined : searchIn(loaded, q, sender)), [loaded, q, sender, isConnected]);
  return {
    found: here ?? found,
    problem: isConnected ? problem : undefined,
    isAsking: isAsking && isConnected,
    more: () => setCursor({ question, before: found.older }),
  };
}

function searchIn(loaded: readonly Message[], q: string, sender: string | undefined): Found {
  const words = q.toLowerCase().split(/\s+/);
  const isFound = ({ sender: name, message, address }: Message) =>
    (sender === undefined || sender === address) &&
    words.every((word) => `${name} ${message}`.toLowerCase().includes(word));
  return {
    messages: q === '' && sender === undefined ? [] : loaded.filter(isFound).slice(-PAGE).reverse(),
    older: undefined,
  };
}
