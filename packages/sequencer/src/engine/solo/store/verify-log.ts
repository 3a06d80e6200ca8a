import { decodeSignedHeader, headerHash } from '@switchyard/protocol';
import { decodeHead, isWhole, sectionOf } from './record.ts';
import { RecordLog } from './record-log.ts';
import type { Place, Segments } from './segments.ts';

export interface LogProblem {
  readonly file: string;
  readonly what: string;
}

export interface VerifiedLog {
  readonly records: number;
  readonly bytes: number;
  /** Of the first and the last block. */
  readonly first: bigint;
  readonly last: bigint;
  readonly problems: readonly LogProblem[];
  /** Where to resume, when it ended early. */
  readonly next: Place | undefined;
}

export interface LogPart {
  /** The place of a record; the beginning, if absent. */
  readonly from?: Place | undefined;
  /** Ends after about as many bytes. */
  readonly maxBytes?: number;
}

/**
 * Reads the log from its beginning, without the index and without changing anything: the checksums of every record, that
 * heights follow each other, and that each header has the hash that its record and the next header say. What a process is
 * writing at the end meanwhile is no problem.
 */
export function verifyLog(
  segments: Segments,
  { from, maxBytes = Number.POSITIVE_INFINITY }: LogPart = {},
): VerifiedLog {
  const log = new RecordLog(segments);
  const problems: LogProblem[] = [];
  const { all } = segments;
  let [records, bytes, first, last] = [0, 0, 0n, 0n];
  let lastHash: Uint8Array | undefined;

  const check = (segment: number, offset: number, length: number): string | undefined => {
    const whole = log.expandedAt({ segment, offset }) ?? segments.readSync({ segment, offset }, length);
    const head = decodeHead(whole);
    if (head === undefined || !isWhole(head, whole)) return 'a section is not what was written';
    if (last !== 0n && head.height !== last + 1n) return `the next height is ${head.height}`;
    const { header } = decodeSignedHeader(sectionOf(head, 'signedHeader', whole));
    if (Buffer.compare(headerHash(header), head.hash) !== 0) return 'the header has another hash';
    if (lastHash !== undefined && Buffer.compare(header.lastBlockId.hash, lastHash) !== 0) {
      return 'the header follows another block';
    }
    [records, bytes, last, lastHash] = [records + 1, bytes + length, head.height, head.hash];
    if (first === 0n) first = head.height;
    return undefined;
  };

  for (const segment of all) {
    if (from !== undefined && segment < from.segment) continue;
    const size = segments.length(segment);
    for (let offset = segment === from?.segment ? from.offset : 0; offset < size; ) {
      if (bytes >= maxBytes) return { records, bytes, first, last, problems, next: { segment, offset } };
      const length = log.lengthAt({ segment, offset });
      const isLast = segment === all.at(-1);
      const wrong =
        length === undefined || offset + length > size
          ? 'no record begins there'
          : attempt(() => check(segment, offset, length));
      if (wrong !== undefined) {
        // A record that is being written, or that a crash cut short: the next start cuts it off.
        const torn = isLast && !hasRecordAfter(log, { segment, offset }, size);
        if (!torn)
          problems.push({ file: segments.path(segment), what: `after height ${last}, at byte ${offset}: ${wrong}` });
        break;
      }
      offset += length ?? size;
    }
    if (problems.length > 0) break;
  }
  return { records, bytes, first, last, problems, next: undefined };
}

function hasRecordAfter(
  log: RecordLog,
  { segment, offset }: { segment: number; offset: number },
  size: number,
): boolean {
  for (let at = offset + 1; at < size; at += 1) {
    if (log.lengthAt({ segment, offset: at }) !== undefined) return true;
  }
  return false;
}

function attempt(check: () => string | undefined): string | undefined {
  try {
    return check();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
