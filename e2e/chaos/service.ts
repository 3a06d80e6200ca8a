export interface Service {
  readonly name: string;
  /** Answers 200 when the service is ready. */
  readonly readyUrl: string;
  /** Where it keeps its state, below the instance's data directory. */
  readonly store: string;
}
