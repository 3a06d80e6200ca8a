/** A transaction that a user has sent. */
export interface Sent {
  readonly hash: string;
  readonly account: string;
  readonly nonce: number;
  /** Whether the rollup has acknowledged it: it has to be executed then. Otherwise it may be. */
  isAcknowledged: boolean;
  /** The rollup has answered that it will not take it. */
  isRefused: boolean;
  /** Another one of the same account and nonce: one of the two is executed. */
  rival?: Sent;
}
