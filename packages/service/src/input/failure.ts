/** Exit statuses of the command lines. */
export const STATUS = { failed: 1, usage: 2 } as const;

/** Something foreseen that a user can act on. The message is a sentence for them: fact, place, expected, got, advice; empty if they have it already. */
export class Failure extends Error {
  override readonly name = 'Failure';

  /** @param cause The error that it explains. */
  constructor(
    message: string,
    cause?: unknown,
    readonly status: number = STATUS.failed,
  ) {
    super(message, cause === undefined ? {} : { cause });
  }
}

/** The result of `work`, or `otherwise` if it throws an error of this kind. */
export function tried<T, O>(kind: abstract new (...args: never[]) => Error, otherwise: O, work: () => T): T | O {
  try {
    return work();
  } catch (error) {
    if (error instanceof kind) return otherwise;
    throw error;
  }
}

/** An argument, option or variable that cannot be used. */
export function usage(message: string): Failure {
  return new Failure(message, undefined, STATUS.usage);
}

/** @param named Chain id that the user gave for a question, if any. @throws {Failure} if the node is of another chain. */
export async function requireChain(flag: string, named: string | undefined, reported: () => Promise<string>) {
  const chainId = named === undefined ? named : await reported();
  if (chainId !== named) throw usage(`${flag}: expected ${chainId}, which the node reports, got ${named}`);
}

/** Collects mistakes, reported to the user together, one line each. */
export class Problems {
  readonly #lines: string[] = [];

  add(where: string, what: string): void {
    this.#lines.push(`${where}: ${what}`);
  }

  /** Runs `parse`; a failure is noted and gives `undefined`. */
  collect<T>(parse: () => T): T | undefined {
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#lines.push(error.message);
      return undefined;
    }
  }

  throwIfAny(): void {
    if (this.#lines.length > 0) throw new Failure([...new Set(this.#lines)].join('\n'));
  }
}
