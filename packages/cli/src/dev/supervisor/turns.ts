/** Serialises work on each thing: it is done in the order of the requests, never two at once. */
export class Turns<T> {
  readonly #last = new Map<T, Promise<void>>();

  next(thing: T, work: () => Promise<void>): Promise<void> {
    const turn = (this.#last.get(thing) ?? Promise.resolve()).then(work);
    this.#last.set(
      thing,
      turn.catch(() => {}),
    );
    return turn;
  }
}
