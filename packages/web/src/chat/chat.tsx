import { useCallback, useEffect, useState } from 'react';
import { AccountPanel } from './account-panel.tsx';
import { type NodeStatus, nodeStatus } from './api.ts';
import { formatCoins } from './coins.ts';
import { Funding } from './funding.tsx';
import { useAccounts } from './keys/accounts.ts';
import { MessageList } from './message-list.tsx';
import { TransferPanel } from './transfer-panel.tsx';
import { useConversation } from './use-conversation.ts';
import { useOutgoing } from './use-outgoing.ts';
import { useWallet } from './use-wallet.ts';
import { visibleName, visibleText } from './visible-text.ts';
import { WriteForm } from './write-form.tsx';

/** The chain's name, and how far it is final, read again with each block. */
function useStatus(isConnected: boolean, block: bigint | undefined): NodeStatus | undefined {
  const [status, setStatus] = useState<NodeStatus>();
  const [turn, setTurn] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `block` and `turn` are there to ask again
  useEffect(() => {
    if (!isConnected) return;
    let timer: number | undefined;
    nodeStatus().then(setStatus, () => {
      timer = window.setTimeout(() => setTurn((before) => before + 1), 2_000);
    });
    return () => window.clearTimeout(timer);
  }, [isConnected, block, turn]);
  return status;
}

export function Chat() {
  const accounts = useAccounts();
  const { current, all } = accounts;
  const conversation = useConversation((address) => address !== undefined && address === current?.address);
  const { connection, block, messages, unread } = conversation;
  const isConnected = connection === 'connected';
  const status = useStatus(isConnected, block);
  const signerOf = useCallback((address: string) => all.find((one) => one.address === address)?.signer(), [all]);
  const outgoing = useOutgoing({ isConnected, status, signerOf });
  const wallet = useWallet(current?.address, isConnected, block);
  const title = status?.rollupName ?? 'Messenger';
  const held = wallet.balances?.find(({ asset }) => asset === status?.nativeAsset)?.amount ?? 0n;
  const newest = messages.at(-1);

  useEffect(() => {
    document.title = unread > 0 ? `(${unread}) ${title}` : title;
  }, [unread, title]);

  return (
    <>
      <header>
        <h1>{title}</h1>
        <p className={isConnected && !conversation.isStalled ? 'status' : 'status off'} role="status">
          {connectionText(conversation)}
        </p>
        {current !== undefined && (
          <AccountPanel accounts={accounts} current={current} balances={wallet.balances} isConnected={isConnected} />
        )}
        {current !== undefined && status !== undefined && (
          <TransferPanel
            current={current}
            balances={wallet.balances}
            feeAsset={status.nativeAsset}
            outgoing={outgoing}
          />
        )}
        {accounts.problem !== undefined && (
          <p className="notice" role="alert">
            {accounts.problem} Your key is for this visit only: export it if it is to be kept.
          </p>
        )}
      </header>
      <MessageList
        conversation={conversation}
        firm={status?.firm ?? 0n}
        outgoing={outgoing.all}
        address={current?.address}
        isConnected={isConnected}
        retry={outgoing.retry}
        dismiss={outgoing.dismiss}
      />
      <footer>
        {/* What assistive software reads out; what is only loaded, such as older messages, is not announced. */}
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
          <Funding current={current} all={all} status={status} outgoing={outgoing} isConnected={isConnected} />
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
          </p>
        )}
      </footer>
    </>
  );
}

function connectionText({ connection, block, isStalled }: ReturnType<typeof useConversation>): string {
  switch (connection) {
    case 'connecting':
      return 'connecting…';
    case 'lost':
      return 'connection lost; trying again';
    case 'connected':
      if (isStalled) return `no new blocks${block === undefined ? '' : ` since block ${block}`}`;
      return block === undefined ? 'connected; waiting for a block…' : `block ${block}`;
    default:
      return connection satisfies never;
  }
}

function obstacleOf(hasKey: boolean, isEmpty: boolean): string | undefined {
  if (!hasKey) return 'reading your key…';
  return isEmpty ? 'this account has no coins to pay for a message' : undefined;
}
