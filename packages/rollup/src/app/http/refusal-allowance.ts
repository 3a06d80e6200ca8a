import { Rejected } from '@switchyard/protocol';
import { type Clock, HttpError, RateLimit } from '@switchyard/service';

/** Refused transactions of one address. Each has cost about as much as an accepted one, and pays nothing. */
const BOUNDS = { burst: 4_096, perSecond: 1_000, maxClients: 10_000 };

const HELD_MS = 250;

/** Bounds the transactions of one client address that are checked for nothing: beyond it, its next ones are not looked at. */
export class RefusalAllowance {
  readonly #rate = new RateLimit(BOUNDS);
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws {HttpError} 429, late, so that a client that sends the next one on the answer does not keep reading busy. */
  async check(client: string): Promise<void> {
    if (this.#rate.has(client, this.#clock.now())) return;
    await new Promise<void>((resolve) => void this.#clock.after(HELD_MS, resolve));
    throw new HttpError(
      429,
      'limit-reached',
      `nothing was accepted: more than ${BOUNDS.perSecond} transactions a second of this address were refused; slow down and try again`,
    );
  }

  /** @param errors Only refusals count: if the node cannot take a transaction now, its sender is not at fault. */
  charge(client: string, errors: readonly unknown[]): void {
    const refused = errors.filter((error) => error instanceof Rejected).length;
    this.#rate.charge(client, refused, this.#clock.now());
  }
}
