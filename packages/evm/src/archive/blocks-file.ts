import { open } from 'node:fs/promises';
import { InvalidRlp } from '@switchyard/protocol/ethereum';

export interface FileBlock {
  readonly bytes: Uint8Array;
  /** Position of its first byte. */
  readonly offset: number;
}

/** No block of any chain comes near it. */
const MAX_BLOCK_BYTES = 64 * 1_048_576;
const CHUNK = 1_048_576;

/**
 * The blocks of a file as go-ethereum exports it: RLP lists, one after another. Reads no further ahead than a chunk.
 *
 * @throws {InvalidRlp} if something else than a whole list stands, with the offset.
 */
export async function* readBlocksFile(path: string): AsyncGenerator<FileBlock> {
  const file = await open(path, 'r');
  try {
    let buffered: Uint8Array = new Uint8Array();
    let offset = 0;
    for (;;) {
      const length = listLength(buffered, offset);
      if (length !== undefined && length <= buffered.length) {
        yield { bytes: buffered.slice(0, length), offset };
        buffered = buffered.subarray(length);
        offset += length;
        continue;
      }
      const wanted = Math.max(CHUNK, (length ?? 0) - buffered.length);
      const chunk = new Uint8Array(wanted);
      const { bytesRead } = await file.read(chunk, 0, wanted);
      if (bytesRead === 0) {
        if (buffered.length === 0) return;
        throw new InvalidRlp(`the file ends inside the block that begins at byte ${offset}`);
      }
      buffered = Buffer.concat([buffered, chunk.subarray(0, bytesRead)]);
    }
  } finally {
    await file.close();
  }
}

/** Length of the list that `bytes` begin with, its head included; undefined if the head is not whole. */
function listLength(bytes: Uint8Array, offset: number): number | undefined {
  const first = bytes[0];
  if (first === undefined) return undefined;
  if (first < 0xc0) throw new InvalidRlp(`no block begins at byte ${offset}: expected an RLP list, got byte ${first}`);
  if (first < 0xf8) return 1 + first - 0xc0;
  const size = first - 0xf7;
  if (bytes.length < 1 + size) return undefined;
  let length = 0;
  for (let index = 1; index <= size; index++) length = length * 256 + (bytes[index] ?? 0);
  if (length > MAX_BLOCK_BYTES) throw new InvalidRlp(`the block at byte ${offset} claims ${length} bytes`);
  return 1 + size + length;
}
