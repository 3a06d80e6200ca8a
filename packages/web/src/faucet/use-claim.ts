import { useEffect, useState } from 'react';
import type { Claim, FaucetClient } from './api.ts';

const LOOK_MS = 700;

/** One claim at a time, polled until it is paid or has failed. */
export function useClaim(faucet: Pick<FaucetClient, 'claim' | 'claimNow'>) {
  const [isAsking, setAsking] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const [claim, setClaim] = useState<Claim>();
  const watched = claim !== undefined && (claim.state === 'queued' || claim.state === 'sent') ? claim.id : undefined;
  useEffect(() => {
    if (watched === undefined) return;
    const timer = window.setInterval(() => {
      // While the faucet does not answer, its last answer stands.
      faucet.claimNow(watched).then(setClaim, () => undefined);
    }, LOOK_MS);
    return () => window.clearInterval(timer);
  }, [faucet, watched]);
  return {
    claim,
    isAsking,
    /** Why the claim was not accepted, or not answered. */
    problem,
    /** Forgets the problem. */
    reset: () => setProblem(undefined),
    make(address: string) {
      if (isAsking) return;
      setAsking(true);
      setProblem(undefined);
      setClaim(undefined);
      faucet
        .claim(address)
        .then(setClaim, setProblem)
        .finally(() => setAsking(false));
    },
  };
}
