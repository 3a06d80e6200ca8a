/** Takes answers over a connection, at its own pace. */
export interface AnswerReader {
  /** Bytes of answers that it has not taken. */
  readonly unreadBytes: number;
  /** Ends its connection. */
  cutOff(): void;
  /** Ends its connection when it has taken the answer, where it would stay open for another request. */
  endAfter?(): void;
}

/** Answers below this are not worth a look at all readers. */
const WORTH_COUNTING = 65_536;

/**
 * Bounds the answers that clients have asked for and not read. A question of a few bytes can have an answer of
 * megabytes, so readers are bounded together: over the limit, the one that has most to read is cut off.
 */
export class UnreadAnswers {
  readonly #readers = new Set<AnswerReader>();

  /** @param onCut Called with the bytes that the reader had not taken. */
  constructor(
    readonly limit: number,
    readonly onCut: (unreadBytes: number) => void,
  ) {}

  add(reader: AnswerReader): void {
    this.#readers.add(reader);
  }

  /** The reader has gone. */
  remove(reader: AnswerReader): void {
    this.#readers.delete(reader);
  }

  /** The server closes. */
  endAll(): void {
    for (const reader of this.#readers) reader.endAfter?.();
  }

  /** To be called when an answer was handed over to this reader. */
  bound(reader: AnswerReader): void {
    if (reader.unreadBytes <= WORTH_COUNTING) return;
    const unread = [...this.#readers].map((reader) => ({ reader, bytes: reader.unreadBytes }));
    if (unread.reduce((sum, { bytes }) => sum + bytes, 0) <= this.limit) return;
    const greediest = unread.reduce((most, each) => (each.bytes > most.bytes ? each : most));
    // Forgotten at once, so that its bytes cut off no other client while its connection closes.
    this.#readers.delete(greediest.reader);
    this.onCut(greediest.bytes);
    greediest.reader.cutOff();
  }
}
