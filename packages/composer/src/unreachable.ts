import { errorLine } from '@switchyard/service';
import type { Sequencer } from './sequencer.ts';

/** A call to the sequencer failed, which is waited out. Any other failure ends the composer. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/** Wraps a sequencer so that all its failures are {@link Unreachable}. */
export function waitedOut(sequencer: Sequencer): Sequencer {
  const ask = async <T>(call: Promise<T>): Promise<T> => {
    try {
      return await call;
    } catch (cause) {
      throw new Unreachable(errorLine(cause), { cause });
    }
  };
  return {
    chainId: (signal) => ask(sequencer.chainId(signal)),
    settled: (bundles, signal) => ask(sequencer.settled(bundles, signal)),
    broadcast: (transaction, signal) => ask(sequencer.broadcast(transaction, signal)),
    balance: (signal) => ask(sequencer.balance(signal)),
    feeRate: (signal) => ask(sequencer.feeRate(signal)),
  };
}
