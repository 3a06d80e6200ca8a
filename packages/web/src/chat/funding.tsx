import { ApiRefused } from '@switchyard/client/http-api';
import { TEXT_FEE } from '@switchyard/messenger/client';
import { useMemo } from 'react';
import { faucetClient } from '../faucet/api.ts';
import { useClaim } from '../faucet/use-claim.ts';
import { progress, sentence } from '../faucet/words.ts';
import { formatCoins } from '../ui/coins.ts';
import { Empty } from '../ui/message.tsx';
import { usePolled } from '../ui/polled.ts';
import type { NodeStatus } from './api.ts';
import type { Account } from './use-accounts.ts';

interface FundingProps {
  readonly current: Account;
  readonly status: NodeStatus;
  readonly isConnected: boolean;
}

/** For an account that holds nothing: how it gets coins. */
export function Funding({ current, status, isConnected }: FundingProps) {
  const { faucet, nativeAsset } = status;
  return (
    <Empty
      title="This account has no coins yet"
      action={
        faucet !== undefined && (
          <Claim key={current.address} url={faucet} address={current.address} isConnected={isConnected} />
        )
      }
    >
      A message costs {formatCoins(TEXT_FEE, nativeAsset)}.{' '}
      {faucet === undefined && 'Anyone who has some can send them to your address, which is under “Account”.'}
    </Empty>
  );
}

interface ClaimProps {
  readonly url: string;
  readonly address: string;
  readonly isConnected: boolean;
}

function Claim({ url, address, isConnected }: ClaimProps) {
  const faucet = useMemo(() => faucetClient(url), [url]);
  // Without an answer the button does not name the amount.
  const { value: info } = usePolled(isConnected ? faucet.info : undefined);
  const { claim, isAsking, problem, make } = useClaim(faucet);
  const isUnderWay = isAsking || (claim !== undefined && claim.state !== 'failed');
  return (
    <>
      <button type="button" disabled={isUnderWay || !isConnected} onClick={() => make(address)}>
        {isUnderWay
          ? 'Coins are on their way…'
          : `Get ${info === undefined ? 'coins' : `${info.payout} ${info.symbol}`} from the faucet`}
      </button>
      <p aria-live="polite" className={problem === undefined && claim?.state !== 'failed' ? 'hint' : 'problem'}>
        {problem !== undefined && problemText(problem)}
        {claim !== undefined && claim.state !== 'paid' && progress(claim)}
      </p>
    </>
  );
}

function problemText(error: unknown): string {
  return error instanceof ApiRefused ? sentence(error.message) : 'The faucet does not answer. Try again in a moment.';
}
