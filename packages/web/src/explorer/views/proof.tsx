import { explorer, rollups, type Submission } from '@switchyard/explorer/contract';
import { useState } from 'react';
import { ask, messageOf } from '../api.ts';

/** Checks in this page that a submission is in its block. The code for it is loaded when it is wanted. */
export function Proof({ submission }: { readonly submission: Submission }) {
  const [state, setState] = useState<{ readonly tone: string; readonly text: string }>();
  const { rollup, position, sequencer } = submission;
  const { height } = sequencer;
  const check = async () => {
    setState({ tone: '', text: 'Checking…' });
    try {
      const { checkProof } = await import('../check-proof.ts');
      const { chainId } = await ask(explorer.getStatus, {});
      const proof = await ask(rollups.getInclusionProof, { rollup, height, position });
      const { dataHash, validators } = checkProof(proof, { chainId: chainId ?? '', rollup, height });
      const text = `Checked in this page: the data is in block ${height} under the data hash ${dataHash}, and more than two thirds of the power of the validators that its header names (${validators}) have signed it.`;
      setState({ tone: 'good', text });
    } catch (error) {
      setState({ tone: 'bad', text: `The proof does not hold: ${messageOf(error)}` });
    }
  };
  return (
    <>
      <p>
        <button type="button" onClick={() => void check()}>
          Check the inclusion proof
        </button>
      </p>
      <p className={state === undefined ? 'hidden' : `message ${state.tone}`} role="status">
        {state?.text}
      </p>
    </>
  );
}
