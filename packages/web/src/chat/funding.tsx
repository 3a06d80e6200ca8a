import { TEXT_FEE } from '@switchyard/messenger/client';
import { useEffect, useState } from 'react';
import { accountOf, type NodeStatus } from './api.ts';
import { formatCoins } from './coins.ts';
import type { Account } from './keys/accounts.ts';
import type { OutgoingQueue } from './use-outgoing.ts';

/** Enough for a very long conversation, in the smallest unit. */
const GRANT = 1_000_000_000n;

interface FundingProps {
  readonly current: Account;
  readonly all: readonly Account[];
  readonly status: NodeStatus;
  readonly outgoing: OutgoingQueue;
  readonly isConnected: boolean;
}

/** For an account that holds nothing: how it gets coins. On a development network a public account gives some. */
export function Funding({ current, all, status, outgoing, isConnected }: FundingProps) {
  const { nativeAsset } = status;
  const [giver, setGiver] = useState<Account>();
  const [sent, setSent] = useState<string>();
  useEffect(() => {
    if (!isConnected) return;
    let isOver = false;
    findGiver(all, nativeAsset).then(
      (found) => !isOver && setGiver(found),
      () => undefined,
    );
    return () => {
      isOver = true;
    };
  }, [all, nativeAsset, isConnected]);

  const grants = outgoing.all.filter(({ intent }) => intent.kind === 'transfer' && intent.to === current.address);
  const grant = grants.at(-1);
  const isUnderWay = grant !== undefined && grant.state !== 'refused' && sent === current.address;
  return (
    <div className="notice">
      <p>
        This account has no coins yet. A message costs {formatCoins(TEXT_FEE, nativeAsset)}. Anyone can send coins to
        your address{giver === undefined ? '.' : ', or take some of a development account of this test network.'}
      </p>
      {giver !== undefined && giver.address !== current.address && (
        <button
          type="button"
          disabled={isUnderWay}
          onClick={() => {
            setSent(current.address);
            outgoing.send(giver.address, { kind: 'transfer', to: current.address, amount: GRANT, asset: nativeAsset });
          }}
        >
          {isUnderWay
            ? 'Coins are on their way…'
            : `Get ${formatCoins(GRANT, nativeAsset)} from ${giver.name} (public key)`}
        </button>
      )}
      {grant?.state === 'refused' && <p className="problem">{grant.reason}</p>}
    </div>
  );
}

/** A development account that holds enough, which only development networks have. */
async function findGiver(all: readonly Account[], asset: string): Promise<Account | undefined> {
  for (const account of all) {
    if (account.kind !== 'development') continue;
    const { balances } = await accountOf(account.address);
    const held = balances.find((each) => each.asset === asset)?.amount ?? 0n;
    if (held > GRANT + TEXT_FEE) return account;
  }
  return undefined;
}
