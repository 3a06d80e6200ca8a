import type { Text } from '@switchyard/messenger/client';
import { formatAddress } from '@switchyard/protocol';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { balanceOf, type NodeStatus, nodeStatus, refusalOf, send } from './api.ts';
import { useFeed } from './feed.ts';
import { type Identity, IdentityPicker, shortAddress, testIdentity } from './identity.tsx';

/** A message that is pending, or was refused. */
interface Outgoing {
  readonly key: number;
  readonly message: string;
  readonly hash?: string;
  readonly problem?: string;
}

function Bubble({ text, mine }: { text: Text; mine: boolean }) {
  return (
    <div className={mine ? 'text mine' : 'text'}>
      <small title={text.hash ?? ''}>
        <b>{text.sender}</b>{' '}
        {text.address === undefined ? '' : <code title={text.address}>{shortAddress(text.address)}</code>}
        {text.block === 0n ? '' : ` · block ${text.block} · ${new Date(text.time ?? '').toLocaleTimeString()}`}
      </small>
      {text.message}
    </div>
  );
}

function Chat({ first }: { first: Identity }) {
  const feed = useFeed();
  const [status, setStatus] = useState<NodeStatus>();
  const [identity, setIdentity] = useState(first);
  const [outgoing, setOutgoing] = useState<readonly Outgoing[]>([]);
  const [draft, setDraft] = useState('');
  const [balance, setBalance] = useState('');
  const end = useRef<HTMLDivElement>(null);
  const counter = useRef(0);
  const address = formatAddress(identity.signer.account);
  const shown = new Set(feed.texts.map(({ hash }) => hash));
  const waiting = outgoing.filter(({ hash }) => hash === undefined || !shown.has(hash));

  useEffect(() => {
    if (!feed.connected) return;
    nodeStatus().then(setStatus, () => setStatus(undefined));
  }, [feed.connected]);
  useEffect(() => {
    if (status === undefined || !feed.connected) return;
    // Read again with every message, since each costs one unit.
    const asset = feed.texts.length >= 0 ? status.nativeAsset : '';
    balanceOf(identity.signer, asset).then(
      (balance) => setBalance(`${balance} ${asset}`),
      () => setBalance(''),
    );
  }, [identity, status, feed.connected, feed.texts.length]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls whenever there is something new to see
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'end' });
  }, [feed.texts.at(-1)?.id, outgoing.length]);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const message = draft.trim();
    if (message === '' || status === undefined) return;
    setDraft('');
    counter.current += 1;
    const key = counter.current;
    const change = (part: Partial<Outgoing>) =>
      setOutgoing((all) => all.map((one) => (one.key === key ? { ...one, ...part } : one)));
    setOutgoing((all) => [...all, { key, message }]);
    try {
      const hash = await send(identity.signer, status, identity.name, message);
      change({ hash });
      const refused = await refusalOf(hash);
      if (refused !== undefined) change({ problem: refused });
    } catch (error) {
      change({ problem: error instanceof Error ? error.message : String(error) });
    }
  };

  return (
    <>
      <header>
        <h1>{status?.rollupName ?? 'messenger'}</h1>
        <span className={feed.connected ? 'status' : 'status off'} role="status">
          {feed.connected ? `block ${feed.block || '…'}` : 'not connected; trying again'}
        </span>
      </header>
      <main>
        {feed.texts.map((text) => (
          <Bubble key={String(text.id)} text={text} mine={text.address === address} />
        ))}
        {waiting.map(({ key, message, hash, problem }) => (
          <div key={key} className={problem === undefined ? 'text mine' : 'text mine refused'}>
            <small>{problem ?? (hash === undefined ? 'sending…' : 'accepted, waiting for its block…')}</small>
            {message}
          </div>
        ))}
        <div ref={end} />
      </main>
      <footer>
        <IdentityPicker identity={identity} choose={setIdentity} />
        <form onSubmit={(event) => void submit(event)}>
          <input
            className="message"
            aria-label="message"
            placeholder="Message"
            autoComplete="off"
            maxLength={2_000}
            value={draft}
            onChange={(event) => setDraft(event.target.value)}
          />
          <button type="submit" disabled={!feed.connected || draft.trim() === ''}>
            Send
          </button>
        </form>
        <div className="who">{balance === '' ? '' : `balance ${balance}; a text costs 1`}</div>
      </footer>
    </>
  );
}

const page = document.getElementById('page');
const alice = testIdentity('alice');
if (page === null || alice === undefined) throw new Error('the page is incomplete');
createRoot(page).render(<Chat first={alice} />);
