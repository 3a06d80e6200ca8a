/** A run that can be repeated. */
export interface Case<Fault extends string> {
  readonly seed: number;
  readonly heights: number;
  readonly faults: readonly Fault[];
}

/** Finds a smaller case of the same seed that fails too: with fewer kinds of faults, then with fewer heights. */
export async function shrink<Fault extends string>(
  failing: Case<Fault>,
  fails: (smaller: Case<Fault>) => Promise<boolean>,
): Promise<Case<Fault>> {
  let smallest = failing;
  for (const fault of failing.faults) {
    const smaller = { ...smallest, faults: smallest.faults.filter((each) => each !== fault) };
    if (await fails(smaller)) smallest = smaller;
  }
  while (smallest.heights > 1) {
    const smaller = { ...smallest, heights: Math.floor(smallest.heights / 2) };
    if (!(await fails(smaller))) break;
    smallest = smaller;
  }
  return smallest;
}
