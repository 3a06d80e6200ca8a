import type { Reader } from '../bytes/reader.ts';

/** Parameters of a transaction of the sequencer or of the messenger. The pieces of a message are merged: later values win. */
export function readTransactionParams(
  reader: Reader,
  before = { nonce: 0, chainId: '' },
): { nonce: number; chainId: string } {
  let { nonce, chainId } = before;
  while (reader.next()) {
    if (reader.field === 1) nonce = reader.uint32();
    else if (reader.field === 2) chainId = reader.string();
    else reader.skip();
  }
  return { nonce, chainId };
}
