import { useEffect, useState } from 'react';
import { Amount } from '../ui/amount.tsx';
import { FactList } from '../ui/facts.tsx';
import { type Health, PageHeader } from '../ui/header.tsx';
import { Id } from '../ui/id.tsx';
import { Message } from '../ui/message.tsx';
import { mount } from '../ui/mount.ts';
import { PageFooter } from '../ui/page-footer.tsx';
import { type Polled, usePolled } from '../ui/polled.ts';
import { type Columns, Table } from '../ui/table.tsx';
import { When } from '../ui/when.tsx';
import { WalletNetwork } from '../wallet-network.tsx';
import { explorerOf } from '../wallets.ts';
import { type Claim, faucetClient, type Info } from './api.ts';
import { ClaimForm } from './claim-form.tsx';
import { networkName, obstacle, outcome, rule, title, transactionUrl } from './words.ts';

const LOOK_MS = 3_000;
/** The faucet that served this page. */
const faucet = faucetClient(new URL('.', location.href).href);

function Faucet() {
  const [turn, setTurn] = useState(0);
  const info = usePolled(faucet.info, LOOK_MS, turn);
  const claims = usePolled(faucet.history, LOOK_MS, turn);
  const heading = title(info.value ?? {});

  useEffect(() => {
    document.title = heading;
  }, [heading]);

  return (
    <>
      <PageHeader kind="faucet" health={getHealth(info)} />
      <main id="main" tabIndex={-1}>
        <div className="title">
          <h1>{heading}</h1>
          {info.value !== undefined && <p className="quiet">{rule(info.value)}</p>}
        </div>
        {info.value !== undefined && (
          <ClaimService info={info.value} claims={claims.value ?? []} changed={() => setTurn((before) => before + 1)} />
        )}
      </main>
      <PageFooter>
        <a href="./api/info">The same as JSON</a>
      </PageFooter>
    </>
  );
}

function getHealth({ value, answered }: Polled<Info>): Health {
  if (!answered) return { tone: 'bad', text: 'The faucet does not answer. Trying again.' };
  if (value === undefined) return { tone: 'plain', text: 'asking…' };
  return value.state === 'ready' ? { tone: 'good', text: 'ready' } : { tone: 'warn', text: 'not ready' };
}

interface ClaimServiceProps {
  readonly info: Info;
  readonly claims: readonly Claim[];
  readonly changed: () => void;
}

function ClaimService({ info, claims, changed }: ClaimServiceProps) {
  const problem = obstacle(info);
  return (
    <>
      {problem !== '' && (
        <Message tone="warn" role="status">
          {problem}
        </Message>
      )}
      <ClaimForm faucet={faucet} info={info} changed={changed} />
      <section className="card" aria-labelledby="recent">
        <h2 id="recent">Recent claims</h2>
        {claims.length === 0 ? (
          <p className="quiet">None yet.</p>
        ) : (
          <Table name="Recent claims" columns={columns(info)} rows={claims} />
        )}
      </section>
      {info.walletRpcUrl !== undefined && (
        <section className="card" aria-labelledby="wallet">
          <h2 id="wallet">Wallet</h2>
          <WalletNetwork
            name={networkName(info)}
            url={info.walletRpcUrl}
            chainId={info.chainId ?? ''}
            explorerUrl={info.explorerUrl && info.rollup && explorerOf(info.explorerUrl, info.rollup)}
          />
        </section>
      )}
      <FactList
        facts={[
          ['Balance', info.balance && <Amount key="balance" value={info.balance} unit={info.symbol} />],
          ['Account', <Id key="account" text={info.account} isAccount />],
          info.developmentKey ? ['Its key', 'a published development key'] : undefined,
          ['Waiting claims', info.waiting],
        ]}
      />
    </>
  );
}

const columns = (info: Info): Columns<Claim> => [
  ['Address', ({ address }) => <Id text={address} isAccount />],
  ['Amount', ({ amount, symbol }) => <Amount value={amount} unit={symbol} />],
  [
    'Outcome',
    (claim) =>
      claim.hash === undefined ? (
        outcome(claim)
      ) : (
        <Id text={claim.hash} label={outcome(claim)} href={transactionUrl(info, claim.hash)} />
      ),
    'words',
  ],
  ['When', ({ at }) => <When at={at} />],
];

mount(<Faucet />);
