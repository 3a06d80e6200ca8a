/** A value that changes. It fulfils the contract of Svelte's stores: a subscriber gets the value at once, and then each other one. */
export interface Live<T> {
  get(): T;
  /** @returns a function that ends the subscription. */
  subscribe(run: (value: T) => void): () => void;
}

export class Value<T> implements Live<T> {
  readonly #subscribers = new Set<(value: T) => void>();
  #value: T;

  /** @param onCount Is called with the number of subscribers. */
  constructor(
    value: T,
    readonly onCount: (count: number) => void = () => undefined,
  ) {
    this.#value = value;
  }

  get = (): T => this.#value;

  set(value: T): void {
    this.#value = value;
    for (const run of [...this.#subscribers]) run(value);
  }

  subscribe = (run: (value: T) => void): (() => void) => {
    // Each subscription has an end of its own, also if the function is the same.
    const own = (value: T): void => run(value);
    this.#subscribers.add(own);
    this.onCount(this.#subscribers.size);
    run(this.#value);
    return () => {
      if (this.#subscribers.delete(own)) this.onCount(this.#subscribers.size);
    };
  };
}
