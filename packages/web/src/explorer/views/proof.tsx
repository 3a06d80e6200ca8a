import { useState } from 'react';
import { getMessage } from '../api.ts';

interface ProofProps {
  readonly name: string;
  /** Returns a sentence about the checked facts. @throws what does not hold. */
  readonly check: () => Promise<string>;
}

/** A button that runs a check in the page. */
export function Proof({ name, check }: ProofProps) {
  const [state, setState] = useState<{ readonly tone: string; readonly text: string }>();
  const start = async () => {
    setState({ tone: '', text: 'Checking…' });
    try {
      setState({ tone: 'good', text: `Checked in this page: ${await check()}` });
    } catch (error) {
      setState({ tone: 'bad', text: `The proof does not hold: ${getMessage(error)}` });
    }
  };
  return (
    <>
      <p>
        <button type="button" onClick={() => void start()}>
          {name}
        </button>
      </p>
      <p className={state === undefined ? 'hidden' : `message ${state.tone}`} role="status">
        {state?.text}
      </p>
    </>
  );
}
