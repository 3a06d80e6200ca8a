import { useCallback, useEffect, useMemo, useState } from 'react';
import { Digits } from '../ui/amount.tsx';
import { formatCoins } from '../ui/coins.ts';
import { type Health, PageHeader } from '../ui/header.tsx';
import { Message } from '../ui/message.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { shortId } from '../ui/short.ts';
import { AccountPanel } from './account-panel.tsx';
import { explorerUrl } from './api.ts';
import type { Message as ChatMessage, Conversation } from './conversation.ts';
import { Funding } from './funding.tsx';
import { MessageList } from './message-list.tsx';
import { type Author, Search } from './search.tsx';
import { TransferPanel } from './transfer-panel.tsx';
import { useAccounts } from './use-accounts.ts';
import { useConversation } from './use-conversation.ts';
import { useOutgoing } from './use-outgoing.ts';
import { useStatus } from './use-status.ts';
import { useVerifiedAccount, useVerifiedMessages } from './use-verified.ts';
import { useWallet } from './use-wallet.ts';
import { toWarning } from './verify/verdict.ts';
import { beginning, visibleName, visibleText } from './visible-text.ts';
import { WriteForm } from './write-form.tsx';

export function Chat() {
  const accounts = useAccounts();
  const { current, all } = accounts;
  const conversation = useConversation((address) => address !== undefined && address === current?.address);
  const { connection, messages, unread } = conversation;
  const isConnected = connection === 'connected';
  const { status, isStalled } = useStatus(isConnected, conversation.reopen);
  // A message may come before the next look at the status.
  const newestBlock = messages.at(-1)?.block ?? 0n;
  const block = status && (newestBlock > status.soft ? newestBlock : status.soft);
  const signerOf = useCallback((address: string) => all.find((one) => one.address === address)?.signer(), [all]);
  const account = useWallet(current?.address, isConnected, block);
  const verdict = useVerifiedAccount(current?.address, account, status);
  const verified = useVerifiedMessages(messages, current?.address, status, block);
  const held = account?.balances.find(({ asset }) => asset === status?.nativeAsset)?.amount ?? 0n;
  // An account that is not the current one is known to the node alone.
  const canPay = (address: string) => address !== current?.address || held > 0n;
  const outgoing = useOutgoing({ isConnected, status, getSigner: signerOf, canPay });
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
        ownNames={ownNames}
        outgoing={outgoing}
        address={current?.address}
        verdicts={verified}
        isCovered={isSearching}
        target={target}
        actions={actions}
        canPay={canPay}
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
          obstacle={current === undefined ? 'reading your key…' : undefined}
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
            if (current !== undefined) outgoing.send(current.address, { kind: 'text', text, name: current.name });
          }}
        />
      </footer>
    </>
  );
}

function getHealth(connection: Conversation['connection'], block: bigint | undefined, isStalled: boolean): Health {
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
