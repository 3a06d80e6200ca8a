/** A failure in the words that clients look for. */
export class NotOk extends Error {
  override readonly name = 'NotOk';

  /** @param result What went wrong, or an empty list if clients expect a list. */
  constructor(
    message: string,
    readonly result: unknown = message,
    readonly title = 'NOTOK',
  ) {
    super(message);
  }
}
