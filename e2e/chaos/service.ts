/** A process of the network that is attacked. */
export interface Service {
  readonly name: string;
  /** Answers 200 when the service is ready; of `tcp://host:port`, takes connections then. */
  readonly readyUrl: string;
  /** Where it keeps its state, below the instance's data directory. */
  readonly store: string;
}
