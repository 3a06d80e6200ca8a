/** The answer to a request was longer than its reader accepts. */
export class AnswerTooLong extends Error {
  override readonly name = 'AnswerTooLong';
}

/** Reads a whole body, but no more than `maxBytes` of it. @throws {AnswerTooLong} */
export async function readBody(response: Response, maxBytes: number): Promise<Uint8Array> {
  if (response.body === null) return new Uint8Array(0);
  const reader = response.body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    length += part.value.length;
    if (length > maxBytes) {
      await reader.cancel();
      throw new AnswerTooLong(`the answer is longer than ${maxBytes} bytes`);
    }
    chunks.push(part.value);
  }
  const [only] = chunks;
  if (only !== undefined && chunks.length === 1) return only;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
