import { ApiRefused } from '@switchyard/client/http-api';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { type Claim, claimNow, type Info, makeClaim } from './api.ts';
import { progress, sentence } from './words.ts';

const LOOK_MS = 700;

interface Problem {
  readonly text: string;
  /** What was typed is wrong, rather than the time for it. */
  readonly isAddress: boolean;
}

/** One claim at a time, watched until it is paid or not. */
export function ClaimForm({ info, changed }: { info: Info; changed: () => void }) {
  const [address, setAddress] = useState('');
  const [isAsking, setAsking] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const [claim, setClaim] = useState<Claim>();
  const input = useRef<HTMLInputElement>(null);
  const watched = claim !== undefined && (claim.state === 'queued' || claim.state === 'sent') ? claim.id : undefined;

  useEffect(() => {
    if (watched === undefined) return;
    const timer = window.setInterval(() => {
      // While the faucet does not answer, its last answer stands.
      claimNow(watched).then(setClaim, () => undefined);
    }, LOOK_MS);
    return () => window.clearInterval(timer);
  }, [watched]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list changes with every state of the claim
  useEffect(changed, [claim?.id, claim?.state]);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isAsking) return;
    setAsking(true);
    setProblem(undefined);
    setClaim(undefined);
    try {
      setClaim(await makeClaim(address.trim()));
    } catch (error) {
      setProblem(problemOf(error));
      input.current?.focus();
    } finally {
      setAsking(false);
    }
  };

  const form = info.kind === 'sequencer' ? 'astria1… (an account of the sequencer)' : '0x… (an account or a contract)';
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <label htmlFor="address">Address</label>
      <div className="row">
        <input
          id="address"
          ref={input}
          placeholder={form}
          autoComplete="off"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          maxLength={200}
          value={address}
          aria-invalid={problem?.isAddress === true}
          aria-describedby="answer"
          onChange={(event) => {
            setAddress(event.target.value);
            setProblem(undefined);
          }}
        />
        <button type="submit" aria-disabled={isAsking}>
          {isAsking ? 'Sending…' : `Send ${info.payout} ${info.symbol}`}
        </button>
      </div>
      <div id="answer" aria-live="polite">
        {problem !== undefined && <p className="message bad">{problem.text}</p>}
        {isAsking && <p className="message">Asking the faucet…</p>}
        {claim !== undefined && <ClaimMessage claim={claim} />}
      </div>
    </form>
  );
}

function ClaimMessage({ claim }: { claim: Claim }) {
  const look = claim.state === 'paid' ? 'message good' : claim.state === 'failed' ? 'message bad' : 'message';
  return (
    <div className={look}>
      <p>{progress(claim)}</p>
      {claim.hash !== '' && (
        <p>
          Transaction <code>{claim.hash}</code>
        </p>
      )}
    </div>
  );
}

function problemOf(error: unknown): Problem {
  if (error instanceof ApiRefused) return { text: sentence(error.message), isAddress: error.code === 'malformed' };
  return { text: 'The faucet does not answer. Look at the list below before you try again.', isAddress: false };
}
