/** Takes answers over a connection, at its own pace. */
export interface AnswerReader {
  /** The client's address, or the network it is in; readers without one count only towards the whole. */
  readonly peer?: string;
  /** Bytes of answers that it has not taken. */
  readonly unreadBytes: number;
  /** Ends its connection. */
  cutOff(): void;
  /** Ends its connection when it has taken the answer, if it would stay open for another request. */
  endAfter?(): void;
}

/** Answers below this are not worth a look at all readers. */
const WORTH_COUNTING = 65_536;
/** The part of the limit that one address may leave unread when it asks for more. */
const SHARE_OF_PEER = 4;

/**
 * Bounds the answers that clients have asked for and not read. A question of a few bytes can have an answer of
 * megabytes, so readers are bounded together: over the limit, the reader with the most unread is cut off. An address that has
 * left much unread loses the reader that has most of it before more is made for that address.
 */
export class UnreadAnswers {
  readonly #readers = new Set<AnswerReader>();
  /** Readers that had much to read when an answer was handed over. */
  readonly #owing = new Set<AnswerReader>();

  /** @param onCut Called with the bytes that the reader had not taken. */
  constructor(
    readonly limit: number,
    readonly onCut: (unreadBytes: number) => void,
  ) {}

  /** To be called before an answer is made for this reader. */
  add(reader: AnswerReader): void {
    this.#readers.add(reader);
    if (this.#owing.size === 0 || reader.peer === undefined) return;
    const own = [...this.#owing].filter(({ peer }) => peer === reader.peer);
    this.#cutGreediest(own, this.limit / SHARE_OF_PEER);
  }

  /** The reader has gone. */
  remove(reader: AnswerReader): void {
    this.#readers.delete(reader);
    this.#owing.delete(reader);
  }

  /** The server closes. */
  endAll(): void {
    for (const reader of this.#readers) reader.endAfter?.();
  }

  /** To be called when an answer was handed over to this reader. */
  bound(reader: AnswerReader): void {
    if (reader.unreadBytes <= WORTH_COUNTING) return;
    this.#owing.add(reader);
    this.#cutGreediest([...this.#readers], this.limit);
  }

  #cutGreediest(readers: readonly AnswerReader[], limit: number): void {
    const unread = readers.map((reader) => ({ reader, bytes: reader.unreadBytes }));
    if (unread.reduce((sum, { bytes }) => sum + bytes, 0) <= limit) return;
    const greediest = unread.reduce((most, each) => (each.bytes > most.bytes ? each : most));
    // Forgotten at once, so that its bytes cut off no other client while its connection closes.
    this.remove(greediest.reader);
    this.onCut(greediest.bytes);
    greediest.reader.cutOff();
  }
}
