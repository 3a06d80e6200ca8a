import { useCallback, useEffect, useMemo } from 'react';
import { formatCoins } from '../ui/coins.ts';
import { AccountPanel } from './account-panel.tsx';
import type { Conversation } from './conversation.ts';
import { accountUrl } from './explorer-links.ts';
import { Funding } from './funding.tsx';
import { useAccounts } from './keys/accounts.ts';
import { MessageList } from './message-list.tsx';
import { TransferPanel } from './transfer-panel.tsx';
import { useConversation } from './use-conversation.ts';
import { useOutgoing } from './use-outgoing.ts';
import { useStatus } from './use-status.ts';
import { useVerifiedAccount, useVerifiedMessages } from './use-verified.ts';
import { useWallet } from './use-wallet.ts';
import { warningOf } from './verify/verdict.ts';
import { visibleName, visibleText } from './visible-text.ts';
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
  const outgoing = useOutgoing({ isConnected, status, signerOf });
  const wallet = useWallet(current?.address, isConnected, block);
  const verdict = useVerifiedAccount(current?.address, wallet.account, status);
  const verified = useVerifiedMessages(messages, current?.address, status, block);
  const title = status?.rollupName ?? 'Messenger';
  const held = wallet.balances?.find(({ asset }) => asset === status?.nativeAsset)?.amount ?? 0n;
  const newest = messages.at(-1);
  const ownNames = useMemo(() => all.map(({ name, address }) => [name, address] as const), [all]);

  useEffect(() => {
    document.title = unread > 0 ? `(${unread}) ${title}` : title;
  }, [unread, title]);

  return (
    <>
      <header>
        <button type="button" className="skip" onClick={() => document.getElementById('message')?.focus()}>
          Write a message
        </button>
        <h1>{title}</h1>
        <p className={isConnected && !isStalled ? 'status' : 'status off'} role="status">
          {connectionText(connection, block, isStalled)}
        </p>
        {current === undefined ? (
          <PanelOutline text="Account: …" />
        ) : (
          <AccountPanel
            accounts={accounts}
            current={current}
            balances={wallet.balances}
            verdict={verdict}
            isConnected={isConnected}
            url={accountUrl(status, current.address)}
          />
        )}
        {current === undefined || status === undefined ? (
          <PanelOutline text="Send coins" />
        ) : (
          <TransferPanel
            current={current}
            balances={wallet.balances}
            feeAsset={status.nativeAsset}
            outgoing={outgoing}
            withdrawable={status?.withdrawals ?? []}
          />
        )}
        {verdict?.kind === 'false' && (
          <p className="notice problem" role="alert">
            {warningOf('a balance', verdict)}
          </p>
        )}
        {accounts.problem !== undefined && (
          <p className="notice" role="alert">
            {accounts.problem} Your key is for this visit only: export it if it is to be kept.
          </p>
        )}
      </header>
      <MessageList
        conversation={conversation}
        status={status}
        ownNames={ownNames}
        outgoing={outgoing.all}
        address={current?.address}
        verdicts={verified}
        isConnected={isConnected}
        retry={outgoing.retry}
        dismiss={outgoing.dismiss}
      />
      <footer>
        {/* Assistive software reads this out; messages that are only loaded, such as older ones, are not announced. */}
        <p className="announcer" aria-live="polite">
          {newest !== undefined &&
            isConnected &&
            `${visibleName(newest.sender)}: ${visibleText(newest.message.slice(0, 300))}`}
        </p>
        {wallet.notice !== '' && (
          <div className="notice good row" role="status">
            {wallet.notice}
            <button type="button" className="plain" onClick={wallet.dismiss}>
              Close
            </button>
          </div>
        )}
        {current !== undefined && status !== undefined && wallet.balances !== undefined && held === 0n && (
          <Funding current={current} status={status} isConnected={isConnected} />
        )}
        <WriteForm
          obstacle={obstacleOf(current !== undefined, wallet.balances !== undefined && held === 0n)}
          send={(text) => {
            if (current !== undefined) outgoing.send(current.address, { kind: 'text', text, name: current.name });
          }}
        />
        {status !== undefined && held > 0n && (
          <p className="hint">
            Writing as <bdi>{visibleName(current?.name ?? '')}</bdi>
            {current?.kind === 'development' && ', a public development account'} ·{' '}
            {formatCoins(held, status.nativeAsset)}
            {verdict?.kind === 'verified' && ', verified'}
          </p>
        )}
      </footer>
    </>
  );
}

/** In place of a panel whose facts are not there yet, so that nothing moves when they come. */
function PanelOutline({ text }: { readonly text: string }) {
  return (
    <details className="panel">
      <summary>{text}</summary>
      <p>Waiting for the node…</p>
    </details>
  );
}

function connectionText(connection: Conversation['connection'], block: bigint | undefined, isStalled: boolean): string {
  switch (connection) {
    case 'connecting':
      return 'connecting…';
    case 'lost':
      return 'connection lost; trying again';
    case 'connected':
      if (isStalled) return `no new blocks${block === undefined ? '' : ` since block ${block}`}`;
      return block === undefined ? 'connected' : `block ${block}`;
    default:
      return connection satisfies never;
  }
}

function obstacleOf(hasKey: boolean, isEmpty: boolean): string | undefined {
  if (!hasKey) return 'reading your key…';
  return isEmpty ? 'this account has no coins to pay for a message' : undefined;
}
