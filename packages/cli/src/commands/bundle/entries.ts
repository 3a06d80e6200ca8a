import { resolve } from 'node:path';
import type { BundleEntry } from '@switchyard/client';
import { fromHex, rollupIdFromBytes, rollupIdFromName } from '@switchyard/protocol';
import { readJsonFile } from '@switchyard/service';
import { Failure, usage } from '@switchyard/service/failure';
import { hexData, list, object, shortText } from '@switchyard/service/input';
import { readText, sizeOfFile } from '../../dev/files/files.ts';

/** More than any transaction of a sequencer, in hex and with room for the rest. */
const MAX_FILE_BYTES = 64 * 1_048_576;

const ENTRIES = list(object({ rollup: shortText(256), transaction: hexData() }));

/** The entries of a JSON file. @throws {Failure}, {InvalidConfig} with one line for each mistake. */
export function entriesOfFile(file: string, directory: string): BundleEntry[] {
  const path = resolve(directory, file);
  return readJsonFile(toText(path), path, ENTRIES.read).map(({ rollup, transaction }) => ({
    rollup: getRollup(rollup),
    transaction: fromHex(transaction.slice(2)),
  }));
}

/** An entry of a command line, `ROLLUP=FILE`, whose file has the transaction in hex. @throws {Failure} */
export function toEntry(text: string, directory: string): BundleEntry {
  const at = text.indexOf('=');
  if (at < 1 || at === text.length - 1) throw usage(`--entry: expected ROLLUP=FILE, got ${text.slice(0, 100)}`);
  const path = resolve(directory, text.slice(at + 1));
  const hex = toText(path).trim().replace(/^0x/, '');
  if (!/^([0-9a-fA-F]{2})+$/.test(hex)) throw new Failure(`${path}: expected the bytes of a transaction in hex`);
  return { rollup: getRollup(text.slice(0, at)), transaction: fromHex(hex) };
}

function toText(path: string): string {
  const bytes = sizeOfFile(path);
  if (bytes > MAX_FILE_BYTES) throw new Failure(`${path}: has ${bytes} bytes, expected at most ${MAX_FILE_BYTES}`);
  return readText(path);
}

/** 64 hex digits are an id, anything else the name that the id is made from. */
const getRollup = (text: string) =>
  /^[0-9a-fA-F]{64}$/.test(text) ? rollupIdFromBytes(fromHex(text)) : rollupIdFromName(text);
