import { ApiRefused } from '@switchyard/client/http-api';
import { showHidden } from '@switchyard/protocol/hidden-characters';
import { useEffect, useState } from 'react';
import { TextField } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { Id } from '../ui/id.tsx';
import { Message } from '../ui/message.tsx';
import { WalletButtons } from '../wallet-network.tsx';
import { type Provider, requestAccount } from '../wallets.ts';
import type { Claim, FaucetClient, Info } from './api.ts';
import { useClaim } from './use-claim.ts';
import { addressHint, progress, sentence, transactionUrl } from './words.ts';

interface ClaimFormProps {
  readonly faucet: FaucetClient;
  readonly info: Info;
  readonly changed: () => void;
}

const focus = () => document.getElementById('address')?.focus();

/** One claim at a time, watched until it is paid or not. */
export function ClaimForm({ faucet, info, changed }: ClaimFormProps) {
  const [address, setAddress] = useState('');
  const { claim, isAsking, problem, make, reset } = useClaim(faucet);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list changes with every state of the claim
  useEffect(changed, [claim?.id, claim?.state]);
  useEffect(() => {
    if (problem !== undefined) focus();
  }, [problem]);

  const take = async (provider: Provider) => {
    setAddress(await requestAccount(provider));
    reset();
    focus();
    return 'Its address is above.';
  };
  const isAddress = problem instanceof ApiRefused && problem.code === 'malformed';
  return (
    <Form className="card claim" submit={() => make(address.trim())} noValidate>
      <TextField
        id="address"
        label="Address"
        hint={addressHint(info)}
        maxLength={200}
        value={address}
        aria-invalid={isAddress}
        aria-describedby="address-hint answer"
        onChange={(event) => {
          setAddress(event.currentTarget.value);
          reset();
        }}
      >
        <button type="submit" aria-disabled={isAsking}>
          {isAsking ? 'Sending…' : `Send ${info.payout} ${info.symbol}`}
        </button>
      </TextField>
      {info.kind === 'evm' && <WalletButtons label="Use the address of" run={take} />}
      <div id="answer" aria-live="polite">
        {problem !== undefined && <Message tone="bad">{problemText(problem)}</Message>}
        {isAsking && <Message>Asking the faucet…</Message>}
        {claim !== undefined && <ClaimMessage claim={claim} url={transactionUrl(info, claim.hash)} />}
      </div>
    </Form>
  );
}

function ClaimMessage({ claim, url }: { claim: Claim; url: string | undefined }) {
  const tone = claim.state === 'paid' ? 'good' : claim.state === 'failed' ? 'bad' : 'plain';
  return (
    <Message tone={tone}>
      <p>{progress(claim)}</p>
      {claim.hash !== undefined && (
        <p>
          Transaction <Id text={claim.hash} href={url} />
        </p>
      )}
    </Message>
  );
}

function problemText(error: unknown): string {
  if (error instanceof ApiRefused) return sentence(showHidden(error.message));
  return 'The faucet does not answer. Look at the list below before you try again.';
}
