/** The options of a network do not make one. Nothing was started, and no file was written. See the example of {@link simulate}. */
export class BadOptions extends Error {
  override readonly name = 'BadOptions';
}
