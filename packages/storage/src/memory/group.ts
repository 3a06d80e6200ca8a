/** One asynchronous write. */
export interface Write {
  readonly table: string;
  readonly key: string;
  /** Undefined: the record is removed. */
  readonly value: Uint8Array | undefined;
}

/** Asynchronous writes that share a commit. */
export class Group {
  readonly writes: Write[] = [];
  readonly done: Promise<boolean>;
  isCommitted = false;
  #settle: { readonly resolve: (done: boolean) => void; readonly reject: (reason: unknown) => void } | undefined;

  constructor() {
    this.done = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  }

  resolve(): void {
    this.#settle?.resolve(true);
  }

  reject(reason: unknown): void {
    this.#settle?.reject(reason);
  }
}
