import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { verifyStateFile } from '@switchyard/machine';
import { Failure } from '@switchyard/service/failure';
import { dataFile, type FoundStore, findStores, quoted, verifyStore } from '@switchyard/storage';
import { parseJson } from '../files/files.ts';
import { isTable } from '../files/toml.ts';
import { EVM_STATE_ENTRY } from '../services/builtin.ts';

export type StoreReport = Readonly<ReturnType<typeof verifyRecords>> & {
  /** The command that repairs it, when there are problems. */
  readonly repair?: string;
};

/** Verifies every store in and below a directory, one after another, and changes nothing. */
export function verifyAll(root: string): StoreReport[] {
  return findStores(resolve(root)).map((found) => {
    const report = verifyRecords(found);
    const repair = `switchyard repair ${quoted(found.directory)}`;
    return report.problems.length === 0 ? report : { ...report, repair };
  });
}

function verifyRecords({ directory, kind }: FoundStore) {
  const { file, records, bytes, problems } = verifyStore(directory, kind);
  const found = problems.map((what) => ({ file, what }));
  // Checks beyond the checksum of each record.
  const checks = ['checksums and structure'];
  // A damaged file is not given to LMDB, by which the tree is read.
  if (kind === 'state' && found.length === 0) {
    const verified = verifyStateFile(dataFile(directory));
    if (typeof verified === 'string') found.push({ file, what: verified });
    else checks.push(`the state root from ${verified} values`);
  }
  if (kind === 'evm' && found.length === 0) {
    const { problem, number, accounts, slots } = verifyEvmState(file);
    if (problem !== undefined) found.push({ file, what: String(problem) });
    // Over a geth, the state is the geth's.
    else if (number !== undefined) {
      checks.push(`the state root of block ${number} from ${Number(accounts)} accounts and ${Number(slots)} slots`);
    }
  }
  return { directory, kind: kind ?? 'unknown', records, bytes, checked: checks.join(', '), problems: found };
}

/** The program of the EVM's package knows the format. @returns its report, parsed from JSON. @throws {Failure} */
function verifyEvmState(file: string): Readonly<Record<string, unknown>> {
  const { status, stdout, stderr } = spawnSync(process.execPath, [EVM_STATE_ENTRY, file], { encoding: 'utf8' });
  if (status !== 0) throw new Failure(`${file}: cannot be read: ${stderr.trim().split('\n').at(-1) ?? ''}`);
  const report = parseJson(stdout, `the report on ${file}`);
  if (!isTable(report)) throw new Failure(`${file}: the report is not an object`);
  return report;
}
