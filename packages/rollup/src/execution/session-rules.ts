import { Code, ConnectError } from '@connectrpc/connect';
import {
  type BlockMetadata,
  COMMIT_LEVELS,
  type CommitLevel,
  type CommitmentState,
  type FirmMeaning,
  findFirmMeaning,
  type SessionParameters,
} from '@switchyard/protocol';

/*
 * Rules for requests of a conductor, as functions of plain values. A broken rule throws the status of the wire:
 * conductors take some codes as "again", some as "start over" and the rest as fatal.
 */

const MEANS: Readonly<Record<FirmMeaning, string>> = {
  signed: 'signed by the validators of the sequencer',
  posted: 'read back from the data-availability layer',
};

/**
 * Checks that the meaning of "firm" stays the same in the history of a chain. A conductor that states no level passes.
 *
 * @throws {ConnectError} for a level whose firm meaning contradicts that of the chain.
 */
export function checkLevel(level: CommitLevel | undefined, kept: FirmMeaning | undefined): void {
  const meaning = level && findFirmMeaning(level);
  if (kept === undefined || meaning === undefined || meaning === kept) return;
  const fitting = COMMIT_LEVELS.filter((each) => [kept, undefined].includes(findFirmMeaning(each)));
  throw new ConnectError(
    `firm blocks of this rollup are ${MEANS[kept]}: expected commit level ${fitting.join(' or ')}, got ${level}; set SVC_CONDUCTOR_EXECUTION_COMMIT_LEVEL to one of them, or begin with an empty database`,
    Code.FailedPrecondition,
  );
}

/** @throws {ConnectError} if a session that makes no block firm moves the firm block. */
export function checkFirm(level: CommitLevel | undefined, rises: boolean): void {
  if (!rises || level === undefined || findFirmMeaning(level) !== undefined) return;
  throw new ConnectError(`the session has commit level ${level}, which makes no block firm`, Code.FailedPrecondition);
}

/** @throws {ConnectError} unless `parent` is the soft block and `count` blocks on it stay within the session. */
export function checkExecution(
  { parameters, soft }: { parameters: SessionParameters; soft: BlockMetadata },
  parent: string,
  count: number,
): void {
  if (parent !== soft.hash) {
    throw new ConnectError(
      `parent_hash is not the soft block: expected ${soft.hash} (number ${soft.number}), got ${parent}`,
      Code.FailedPrecondition,
    );
  }
  checkRange(parameters, soft.number + 1n, 'the first block');
  checkRange(parameters, soft.number + BigInt(count), 'the last block');
}

/** An update, next to the known blocks that it refers to. */
export interface RequestedUpdate {
  readonly parameters: SessionParameters;
  readonly current: CommitmentState;
  readonly requested: CommitmentState;
  /** The block of ours with the hash that the request gives, if there is one. */
  readonly knownSoft: BlockMetadata | undefined;
  readonly knownFirm: BlockMetadata | undefined;
}

/** @throws {ConnectError} unless the commitments stay or rise, firm stays at or below soft, and both are blocks of ours. */
export function checkUpdate({ parameters, current, requested, knownSoft, knownFirm }: RequestedUpdate): void {
  checkKnown('soft', requested.soft, knownSoft);
  checkKnown('firm', requested.firm, knownFirm);
  checkRise('soft', current.soft.number, requested.soft.number);
  checkRise('firm', current.firm.number, requested.firm.number);
  if (requested.soft.number !== current.soft.number) checkRange(parameters, requested.soft.number, 'the soft block');
  if (requested.firm.number !== current.firm.number) checkRange(parameters, requested.firm.number, 'the firm block');
  if (requested.firm.number > requested.soft.number) {
    throw new ConnectError(
      `firm block ${requested.firm.number} is above soft block ${requested.soft.number}`,
      Code.FailedPrecondition,
    );
  }
  if (requested.lowestCelestiaSearchHeight < current.lowestCelestiaSearchHeight) {
    throw new ConnectError(
      `lowest_celestia_search_height goes back from ${current.lowestCelestiaSearchHeight} to ${requested.lowestCelestiaSearchHeight}`,
      Code.InvalidArgument,
    );
  }
}

function checkKnown(which: string, requested: BlockMetadata, known: BlockMetadata | undefined): void {
  const { number, hash, parentHash } = requested;
  if (known === undefined) {
    throw new ConnectError(`${which} block ${number} with hash ${hash} is not known`, Code.InvalidArgument);
  }
  if (known.number !== number || known.parentHash !== parentHash) {
    throw new ConnectError(
      `${which} block ${hash}: expected number ${known.number} and parent ${known.parentHash}, got ${number} and ${parentHash}`,
      Code.InvalidArgument,
    );
  }
}

function checkRise(which: string, current: bigint, requested: bigint): void {
  if (requested >= current) return;
  throw new ConnectError(`${which} commitment goes back from ${current} to ${requested}`, Code.FailedPrecondition);
}

function checkRange({ rollupStartNumber, rollupEndNumber }: SessionParameters, number: bigint, what: string): void {
  const aboveEnd = rollupEndNumber !== undefined && number > rollupEndNumber;
  if (number >= rollupStartNumber && !aboveEnd) return;
  throw new ConnectError(
    `${what} has number ${number}, outside of ${rollupStartNumber} to ${rollupEndNumber ?? 'any'}`,
    Code.OutOfRange,
  );
}
