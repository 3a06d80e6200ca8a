/** Consequence of the sequencer's answer to a broadcast for a signed transaction. */
export type Verdict =
  /** In its mempool, or in a block already. */
  | 'taken'
  /** The nonce is spent, or another transaction has it: the next blocks decide. */
  | 'contested'
  /** Rejected for now; to be sent again later. */
  | 'later'
  | 'wrong-chain'
  /** It can never be taken in this form. */
  | 'refused'
  /** Failed for a reason that may pass. */
  | 'unconfirmed';

/** The CheckTx codes of the reference sequencer. */
export function verdictOf(code: number): Verdict {
  switch (code) {
    case 0: // ok
    case 14: // already present
    case 18: // already included
      return 'taken';
    case 4: // invalid nonce
    case 15: // nonce taken
      return 'contested';
    case 6: // insufficient funds
    case 9: // expired: answering clears the mark, so the next attempt counts as new
    case 11: // mempool full
    case 12: // a lower nonce was removed
    case 16: // the account's parked limit
    case 17: // the parked limit of all
      return 'later';
    case 7:
      return 'wrong-chain';
    case 2: // invalid, in old versions
    case 5: // too large
    case 19: // an action failed its checks
    case 20: // not a transaction
    case 21: // invalid
      return 'refused';
    default: // an internal error, a failed execution, a code of a later version
      return 'unconfirmed';
  }
}
