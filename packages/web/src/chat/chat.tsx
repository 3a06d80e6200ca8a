import { parseDenom } from '@switchyard/protocol';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { Digits } from '../ui/amount.tsx';
import { formatCoins } from '../ui/coins.ts';
import { type Health, PageHeader } from '../ui/header.tsx';
import { Message } from '../ui/message.tsx';
import { usePolled } from '../ui/polled.ts';
import { readSetting, writeSetting } from '../ui/settings.ts';
import { Sheet } from '../ui/sheet.tsx';
import { shortId } from '../ui/short.ts';
import { AccountPanel } from './account-panel.tsx';
import { explorerUrl, nodeStatus } from './api.ts';
import { app, type Connection, useConnection, useLive, useStalled } from './app.ts';
import type { Message as ChatMessage } from './conversation.ts';
import { Funding } from './funding.tsx';
import { MessageList } from './message-list.tsx';
import { type Author, Search } from './search.tsx';
import { TransferPanel } from './transfer-panel.tsx';
import { useAccounts } from './use-accounts.ts';
import { useConversation } from './use-conversation.ts';
import { type Outgoing, send, useSent } from './use-sent.ts';
import { useVerifiedAccount, useVerifiedMessages } from './use-verified.ts';
import { useWallet } from './use-wallet.ts';
import { toWarning } from './verify/verdict.ts';
import { beginning, visibleName, visibleText } from './visible-text.ts';
import { WriteForm } from './write-form.tsx';

/** The status is read once for each connection. */
const RETRY_MS = 2_000;
const NATIVE_ASSET = 'chat/native-asset';
const getPause = (status: object | undefined) => (status === undefined ? RETRY_MS : undefined);

export function Chat() {
  const accounts = useAccounts();
  const { current, all } = accounts;
  const conversation = useConversation(current?.address);
  const { messages, unread } = conversation;
  const connection = useConnection();
  const isConnected = connection === 'connected';
  const { value: status } = usePolled(isConnected ? nodeStatus : undefined, getPause);
  // A page without a connection signs for the chain that it has seen last.
  const nativeAsset = status?.nativeAsset ?? readSetting('browser', NATIVE_ASSET);
  useEffect(() => writeSetting('browser', NATIVE_ASSET, nativeAsset ?? ''), [nativeAsset]);
  const { block, firm = 0n } = useLive(app.head) ?? {};
  const isStalled = useStalled(isConnected, block);
  const account = useWallet(current?.address, isConnected);
  const verdict = useVerifiedAccount(current?.address, account, status, block);
  const verified = useVerifiedMessages(messages, current?.address, status, block);
  const held = account?.balances.find(({ asset }) => asset === nativeAsset)?.amount ?? 0n;
  const outgoing = useSent(all, current);
  const retry = (one: Outgoing) => {
    const { action, account, sent } = one;
    if (action === undefined) return;
    const signer = all.find(({ address }) => address === account);
    void send(signer, action).then((isSent) => isSent && sent.forget());
  };
  const newest = messages.at(-1);
  const [answered, setAnswered] = useState<ChatMessage>();
  const [isSearching, setSearching] = useState(false);
  const [author, setAuthor] = useState<Author>();
  const [target, setTarget] = useState<{ readonly id: bigint }>();
  const ownNames = useMemo(() => all.map(({ name, address }) => [name, address] as const), [all]);

  const closeSearch = useCallback(() => {
    setSearching(false);
    setAuthor(undefined);
  }, []);
  const actions = useMemo(
    () => ({
      reply(message: ChatMessage) {
        setAnswered(message);
        setSearching(false);
        document.getElementById('message')?.focus();
      },
      jump(id: bigint) {
        closeSearch();
        setTarget({ id });
      },
      author({ sender, address }: ChatMessage) {
        if (address === undefined) return;
        setAuthor({ name: sender, address });
        setSearching(true);
      },
    }),
    [closeSearch],
  );

  useEffect(() => {
    const title = status === undefined ? 'Chat' : `Chat · ${status.rollupName}`;
    document.title = unread > 0 ? `(${unread}) ${title}` : title;
  }, [unread, status]);

  return (
    <>
      <PageHeader kind="chat" health={getHealth(connection, block, isStalled)}>
        <div className="chat-bar">
          <h1 className="hidden">Chat</h1>
          <button type="button" className="skip" onClick={() => document.getElementById('message')?.focus()}>
            Write a message
          </button>
          <Sheet
            title="Account"
            label={
              <>
                <span>Account: </span>
                {current === undefined ? '…' : <bdi className="name">{visibleName(current.name)}</bdi>}{' '}
                <code>{current && shortId(current.address)}</code>
              </>
            }
          >
            {current === undefined ? (
              <p>Waiting for the key…</p>
            ) : (
              <AccountPanel
                accounts={accounts}
                current={current}
                balances={account?.balances}
                verdict={verdict}
                isConnected={isConnected}
                url={explorerUrl(status, 'accounts', current.address)}
              />
            )}
          </Sheet>
          <Sheet title="Send coins" label="Send coins">
            {current === undefined || status === undefined ? (
              <p>Waiting for the node…</p>
            ) : (
              <TransferPanel
                current={current}
                balances={account?.balances}
                feeAsset={status.nativeAsset}
                outgoing={outgoing}
                retry={retry}
                withdrawable={status.withdrawals}
              />
            )}
          </Sheet>
          <button type="button" className="plain small" aria-expanded={isSearching} onClick={() => setSearching(true)}>
            Search
          </button>
          {verdict?.kind === 'false' && (
            <Message tone="bad" role="alert">
              {toWarning('a balance', verdict)}
            </Message>
          )}
          {accounts.problem !== undefined && (
            <Message tone="warn" role="alert">
              {accounts.problem} Your key is for this visit only: export it if it is to be kept.
            </Message>
          )}
        </div>
      </PageHeader>
      <MessageList
        conversation={conversation}
        status={status}
        isConnected={isConnected}
        firm={firm}
        ownNames={ownNames}
        outgoing={outgoing}
        retry={retry}
        address={current?.address}
        verdicts={verified}
        isCovered={isSearching}
        target={target}
        actions={actions}
      />
      {isSearching && (
        <Search
          author={author}
          setAuthor={setAuthor}
          close={closeSearch}
          loaded={messages}
          ownNames={ownNames}
          reader={current?.address}
          status={status}
          firm={firm}
          isConnected={isConnected}
          actions={actions}
        />
      )}
      <footer className="compose">
        {/* Assistive software reads this out; messages that are only loaded, such as older ones, are not announced. */}
        <p className="hidden" aria-live="polite">
          {newest !== undefined &&
            isConnected &&
            `${visibleName(newest.sender)}: ${visibleText(beginning(newest.message, 300))}`}
        </p>
        {current !== undefined && status !== undefined && account?.balances !== undefined && held === 0n && (
          <Funding current={current} status={status} isConnected={isConnected} />
        )}
        <WriteForm
          answered={answered}
          stopAnswering={() => setAnswered(undefined)}
          obstacle={current === undefined ? 'reading your key…' : !nativeAsset ? 'waiting for the node…' : undefined}
          note={
            status !== undefined &&
            held > 0n && (
              <>
                Writing as <bdi>{visibleName(current?.name ?? '')}</bdi>
                {current?.kind === 'development' && ', a public development account'} ·{' '}
                <Digits text={formatCoins(held, status.nativeAsset)} />
                {verdict?.kind === 'verified' && ', verified'}
              </>
            )
          }
          send={(text) => {
            closeSearch();
            if (current === undefined || nativeAsset === undefined) return;
            const feeAsset = parseDenom(nativeAsset);
            // An account without coins waits for the first ones.
            const waitFor = held === 0n ? ['insufficient-balance'] : [];
            void send(current, { kind: 'sendText', text, name: current.name, feeAsset }, waitFor);
          }}
        />
      </footer>
    </>
  );
}

function getHealth(connection: Connection, block: bigint | undefined, isStalled: boolean): Health {
  switch (connection) {
    case 'connecting':
      return { tone: 'plain', text: 'connecting…' };
    case 'lost':
      return { tone: 'bad', text: 'connection lost; trying again' };
    case 'connected':
      if (isStalled)
        return { tone: 'warn', text: `no new blocks${block === undefined ? '' : ` since block ${block}`}` };
      return { tone: 'good', text: block === undefined ? 'connected' : `block ${block}` };
    default:
      return connection satisfies never;
  }
}
