/** The newest trusted header in a file, so that a restart does not begin at the configured one. Losing it costs time only. */
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fromHex, headerHash, Rejected, toHex } from '@switchyard/protocol';
import {
  type ExtendedHeader,
  extendedHeaderFromJson,
  renderExtendedHeader,
  type TrustRoot,
  verifyExtendedHeader,
} from '@switchyard/protocol/celestia';
import { type Clock, errorLine, type Logger } from '@switchyard/service';
import { InvalidData, parseInput } from '@switchyard/service/input';
import type { HeaderStore } from './trusted-headers.ts';

const MAX_BYTES = 8 * 1_048_576;
/** Between two writes; a header is as good as the next for a long time. */
const WRITE_EVERY_MS = 10_000;

export interface HeaderFileOptions {
  readonly path: string;
  /** The trust root when the header was written: with another one the file does not count. */
  readonly root: TrustRoot;
}

export function headerFile(
  { path, root }: HeaderFileOptions,
  { log, clock }: { readonly log: Logger; readonly clock: Clock },
): HeaderStore {
  let writtenAt = Number.NEGATIVE_INFINITY;
  return {
    load() {
      try {
        if (statSync(path).size > MAX_BYTES) throw new InvalidData('a larger file');
        const input = parseInput(readFileSync(path, 'utf8'), path);
        const item = input.at('root');
        const isSame = item.at('height').big() === root.height && item.at('hash').text() === toHex(root.hash);
        if (!isSame) {
          log.info({ path }, 'the stored header follows from another trusted one, and is not used');
          return undefined;
        }
        const header = extendedHeaderFromJson(input.at('header'));
        const sealed = input.at('hash').parsed(fromHex, 'a hash');
        verifyExtendedHeader(root.chainId, header);
        if (toHex(headerHash(header.header)) !== toHex(sealed)) throw new InvalidData('another header');
        return header;
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
        if (!(error instanceof InvalidData || error instanceof Rejected)) throw error;
        log.warn({ path, reason: errorLine(error) }, 'the stored header is damaged, and is not used');
        return undefined;
      }
    },

    newest(header) {
      if (clock.now() - writtenAt < WRITE_EVERY_MS) return;
      writtenAt = clock.now();
      try {
        write(path, root, header);
      } catch (error) {
        log.warn({ path, reason: errorLine(error) }, 'the newest header could not be stored');
      }
    },
  };
}

/** Whole or not at all, despite interruptions. */
function write(path: string, root: TrustRoot, header: ExtendedHeader): void {
  const text = JSON.stringify({
    root: { height: String(root.height), hash: toHex(root.hash) },
    hash: toHex(headerHash(header.header)),
    header: renderExtendedHeader(header),
  });
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.new`;
  writeFileSync(temporary, text, { mode: 0o600, flush: true });
  renameSync(temporary, path);
}
