/** A frame or the transaction itself, with the gas that it has for everything. */
export interface Payer {
  gas: number;
  /** Value of `StateGas.spilled` when it began. */
  readonly spillMark: number;
}

/**
 * EIP-8037: gas for growth of the state. It is paid for from a reservoir that all frames of a transaction share, and from a
 * frame's own gas when that is empty. Before Amsterdam there is neither.
 */
export class StateGas {
  reservoir = 0;
  /** Paid from the own gas of the transaction and of all frames that run. */
  spilled = 0;

  begin(reservoir: number): void {
    this.reservoir = reservoir;
    this.spilled = 0;
  }

  /** @returns Whether there was enough. */
  charge(payer: Payer, gas: number): boolean {
    const reserved = gas < this.reservoir ? gas : this.reservoir;
    const spilled = gas - reserved;
    if (spilled > payer.gas) return false;
    this.reservoir -= reserved;
    this.spilled += spilled;
    payer.gas -= spilled;
    return true;
  }

  /** Gives back the charge for state that was not created after all, to its last source. */
  refill(payer: Payer, gas: number): void {
    const own = this.#giveBack(payer, gas);
    this.reservoir += gas - own;
  }

  /** When a call has ended: the refilled part of the reservoir belongs to the frame first that paid in its place. */
  settle(payer: Payer): void {
    if (this.reservoir > 0) this.reservoir -= this.#giveBack(payer, this.reservoir);
  }

  /**
   * When a frame has failed: nothing that it paid for is left.
   *
   * @param reservoir Gas that was in it when the frame began.
   */
  undo(frame: Payer, reservoir: number): void {
    this.#giveBack(frame, this.spilled);
    this.reservoir = reservoir;
  }

  /** At most this much of the payments that the payer and the calls inside it have made themselves. */
  #giveBack(payer: Payer, most: number): number {
    const own = this.spilled - payer.spillMark;
    const given = own < most ? own : most;
    this.spilled -= given;
    payer.gas += given;
    return given;
  }
}
