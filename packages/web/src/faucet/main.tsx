import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { type Claim, faucetInfo, history, type Info } from './api.ts';
import { ClaimForm } from './claim-form.tsx';
import { usePolled } from './polled.ts';
import { obstacle, outcome, rule, shortAddress, title } from './words.ts';

const LOOK_MS = 3_000;

function Faucet() {
  const [turn, setTurn] = useState(0);
  const info = usePolled(faucetInfo, LOOK_MS, turn);
  const claims = usePolled(history, LOOK_MS, turn);
  const heading = title(info.value ?? { network: '', chainId: '' });

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

interface DeskProps {
  readonly info: Info;
  /** False while what is known of the faucet is old. */
  readonly isAnswered: boolean;
  readonly claims: readonly Claim[];
  readonly changed: () => void;
}

function ClaimService({ info, isAnswered, claims, changed }: DeskProps) {
  const problem = isAnswered ? obstacle(info) : '';
  return (
    <>
      <p>{rule(info)}</p>
      {problem !== '' && (
        <p className="message warn" role="status">
          {problem}
        </p>
      )}
      <ClaimForm info={info} changed={changed} />
      <dl>
        <div>
          <dt>Balance of the faucet</dt>
          <dd>{info.balance === '' ? 'not known yet' : `${info.balance} ${info.symbol}`}</dd>
        </div>
        <div>
          <dt>Its account</dt>
          <dd>
            <code>{info.account}</code>
          </dd>
        </div>
        <div>
          <dt>Waiting claims</dt>
          <dd>{info.waiting}</dd>
        </div>
      </dl>
      <section aria-labelledby="recent">
        <h2 id="recent">Recent claims</h2>
        {claims.length === 0 ? <p className="quiet">None yet.</p> : <Claims claims={claims} />}
      </section>
    </>
  );
}

function Claims({ claims }: { claims: readonly Claim[] }) {
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
            <td title={claim.hash}>{outcome(claim)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const page = document.getElementById('page');
if (page === null) throw new Error('the page is not whole');
createRoot(page).render(<Faucet />);
