/** How one case of a test ended. */
export interface Verdict {
  /** Names of the test and the case. */
  readonly name: string;
  /** Name of the fork in the test. */
  readonly fork: string;
  readonly result: 'passed' | 'failed' | 'left out';
  /** Unless it passed. */
  readonly detail?: string;
}

export interface Choice {
  /** Undefined: all. As the tests name it. */
  readonly fork: string | undefined;
  /** Part of the name of a file or a test. */
  readonly only: string | undefined;
}
