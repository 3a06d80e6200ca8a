/** JSON-RPC as clients and nodes write it at `/v1/live`. */
interface Message {
  readonly id?: number;
  readonly params?: readonly (number | Part)[] | { readonly parts: readonly Part[] };
  readonly error?: object;
}
interface Part {
  readonly id: number;
}
/** The id that a socket of a tab has given to a part or a call. */
interface Place {
  readonly key: string;
  readonly id: number;
}

/** Ids of parts and calls on a real socket, which those of the sockets of tabs, by their keys, stand for. */
export class SocketIds {
  readonly #parts = new Map<number, Place>();
  readonly #calls = new Map<number, Place>();
  #last = 0;

  /** A call of a socket as the node gets it. A part that it follows has the id of the call. */
  toNode(key: string, text: string): string {
    // A tab of this origin wrote it.
    const { id, params, ...call } = JSON.parse(text) as { id: number; params: readonly [number | Part] };
    const [part] = params;
    this.#last += 1;
    this.#calls.set(this.#last, { key, id });
    if (typeof part === 'object') this.#parts.set(this.#last, { key, id: part.id });
    const real =
      typeof part === 'object'
        ? { ...part, id: this.#last }
        : this.#forget((of) => of.key === key && of.id === part)[0];
    return JSON.stringify({ ...call, id: this.#last, params: [real ?? 0] });
  }

  /** Texts of a node for the sockets that it concerns. @throws {Error} if it is no JSON-RPC. */
  fromNode(text: string, keys: Iterable<string>): (readonly [key: string, text: string])[] {
    // Each tab checks the parts that it gets.
    const message = JSON.parse(text) as Message;
    const { id = 0, params, error } = message;
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if (error !== undefined) this.#parts.delete(id);
    if (call !== undefined) return [[call.key, JSON.stringify({ ...message, id: call.id })]];
    if (params === undefined || !('parts' in params)) return [];
    return [...keys].map((key) => {
      const parts = params.parts.flatMap((part) => {
        const place = this.#parts.get(part.id);
        return place?.key === key ? [{ ...part, id: place.id }] : [];
      });
      return [key, JSON.stringify({ ...message, params: { ...params, parts } })];
    });
  }

  /** Calls that drop the parts of a socket. */
  leave(key: string): string[] {
    return this.#forget((of) => of.key === key).map((id) =>
      JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'live_drop', params: [id] }),
    );
  }

  #forget(isWanted: (place: Place) => boolean): number[] {
    const found = [...this.#parts].flatMap(([id, place]) => (isWanted(place) ? [id] : []));
    for (const id of found) this.#parts.delete(id);
    return found;
  }
}
