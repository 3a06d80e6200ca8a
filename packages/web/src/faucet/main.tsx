import { useEffect, useState } from 'react';
import { Copied } from '../copied.tsx';
import { mount } from '../mount.ts';
import { type Claim, faucetClient, type Info } from './api.ts';
import { ClaimForm } from './claim-form.tsx';
import { usePolled } from './polled.ts';
import { WalletNetwork } from './wallet-network.tsx';
import { obstacle, outcome, rule, shortAddress, title, transactionUrl } from './words.ts';

const LOOK_MS = 3_000;
/** The one that served this page. */
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
      <header>
        <h1>{heading}</h1>
        {!info.answered && (
          <p className="message bad" role="status">
            The faucet does not answer. Trying again.
          </p>
        )}
      </header>
      <main>
        {info.value === undefined ? (
          info.answered && <p>Asking the faucet…</p>
        ) : (
          <ClaimService
            info={info.value}
            isAnswered={info.answered}
            claims={claims.value ?? []}
            changed={() => setTurn((before) => before + 1)}
          />
        )}
      </main>
    </>
  );
}

interface ClaimServiceProps {
  readonly info: Info;
  /** False while what is known of the faucet is old. */
  readonly isAnswered: boolean;
  readonly claims: readonly Claim[];
  readonly changed: () => void;
}

function ClaimService({ info, isAnswered, claims, changed }: ClaimServiceProps) {
  const problem = isAnswered ? obstacle(info) : '';
  return (
    <>
      <p>{rule(info)}</p>
      {problem !== '' && (
        <p className="message warn" role="status">
          {problem}
        </p>
      )}
      <ClaimForm faucet={faucet} info={info} changed={changed} />
      {info.walletRpcUrl !== undefined && <WalletNetwork info={info} url={info.walletRpcUrl} />}
      <dl>
        <div>
          <dt>Balance of the faucet</dt>
          <dd>{info.balance === undefined ? 'not known yet' : `${info.balance} ${info.symbol}`}</dd>
        </div>
        <div>
          <dt>Its account</dt>
          <dd>
            <Copied value={info.account} what="the account of the faucet" />
            {info.developmentKey && <span className="quiet">Its key is a published development key.</span>}
          </dd>
        </div>
        <div>
          <dt>Waiting claims</dt>
          <dd>{info.waiting}</dd>
        </div>
      </dl>
      <section aria-labelledby="recent">
        <h2 id="recent">Recent claims</h2>
        {claims.length === 0 ? <p className="quiet">None yet.</p> : <Claims info={info} claims={claims} />}
      </section>
    </>
  );
}

function Claims({ info, claims }: { info: Info; claims: readonly Claim[] }) {
  return (
    <table aria-labelledby="recent">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Address</th>
          <th scope="col">Amount</th>
          <th scope="col">Outcome</th>
        </tr>
      </thead>
      <tbody>
        {claims.map((claim) => (
          <tr key={claim.id}>
            <td>
              <time dateTime={claim.at}>{new Date(claim.at).toLocaleString()}</time>
            </td>
            <td>
              <code title={claim.address}>{shortAddress(claim.address)}</code>
            </td>
            <td>
              {claim.amount} {claim.symbol}
            </td>
            <td>
              <Outcome claim={claim} url={transactionUrl(info, claim.hash)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** With its transaction: as a link where an explorer is known. */
function Outcome({ claim, url }: { claim: Claim; url: string | undefined }) {
  if (url === undefined) return <span title={claim.hash}>{outcome(claim)}</span>;
  return (
    <a href={url} title={claim.hash}>
      {outcome(claim)}
    </a>
  );
}

mount(<Faucet />);
