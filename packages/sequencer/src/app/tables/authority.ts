import {
  accountId,
  bytes,
  type StateReader,
  type StateWriter,
  struct,
  table,
  u32,
  u64,
  unit,
} from '@switchyard/machine';
import { type AccountId, accountIdFromPublicKey, Rejected } from '@switchyard/protocol';
import type { ValidatorUpdate } from '../types.ts';
import { cell, present } from './cell.ts';

/** Account that may change the chain's own settings, and receives its fees. */
export const sudo = cell('authority/sudo', accountId);

/** Kept from genesis for the day IBC is served. */
export const ibcSudo = cell('authority/ibc-sudo', accountId);
export const ibcRelayers = table({
  prefix: 'authority/ibc-relayer/',
  key: accountId,
  value: unit,
});

/** Validators by address, which is derived from their key as for any account. */
export const validators = table({
  prefix: 'authority/validator/',
  key: accountId,
  value: struct({ publicKey: bytes, power: u64 }),
});

const validatorCount = cell('authority/validator-count', u32, 0);

/** CometBFT's `MaxVotesCount`: its messages refuse votes beyond, so that a larger set could decide nothing. */
export const MAX_VALIDATORS = 10_000;
/** CometBFT's `MaxTotalVotingPower`; it panics above. */
const MAX_TOTAL_POWER = ((1n << 63n) - 1n) / 8n;
/** The most that an update gives a validator. */
const MAX_UPDATE_POWER = (1n << 32n) - 1n;
/**
 * Total power that a genesis may have. CometBFT adds up a block's additions before it takes its removals away, which may be
 * twice a full set; as much is left, so that no update can ever bring the sum above its limit.
 */
export const MAX_GENESIS_POWER = MAX_TOTAL_POWER - 2n * BigInt(MAX_VALIDATORS) * MAX_UPDATE_POWER;

/** @throws {Rejected} `unauthorized`, unless `signer` is the authority. */
export function mustBeSudo(state: StateReader, signer: AccountId): void {
  const expected = present(sudo, state);
  if (signer !== expected) throw new Rejected('unauthorized', { signer, expected });
}

export function isNewValidator(state: StateReader, { publicKey, power }: ValidatorUpdate): boolean {
  return power > 0n && !validators.has(state, accountIdFromPublicKey(publicKey));
}

/**
 * Whether the update may be applied: a removed validator must exist, one validator must remain, and a set may not outgrow
 * the bounds of CometBFT.
 *
 * @throws {Rejected} `unknown-validator`, `last-validator` or `limit-reached`.
 */
export function checkValidatorUpdate(state: StateReader, update: ValidatorUpdate): void {
  const { publicKey, power } = update;
  if (isNewValidator(state, update) && validatorCount.get(state) >= MAX_VALIDATORS) {
    throw new Rejected('limit-reached', { validators: MAX_VALIDATORS, problem: 'CometBFT runs no more validators' });
  }
  if (power !== 0n) return;
  const address = accountIdFromPublicKey(publicKey);
  if (!validators.has(state, address)) throw new Rejected('unknown-validator', { address });
  if (validatorCount.get(state) === 1) throw new Rejected('last-validator', { address });
}

export function applyValidatorUpdate(state: StateWriter, update: ValidatorUpdate): void {
  const address = accountIdFromPublicKey(update.publicKey);
  const known = validators.has(state, address);
  if (update.power === 0n) {
    validators.delete(state, address);
    if (known) validatorCount.put(state, validatorCount.get(state) - 1);
    return;
  }
  validators.put(state, address, { publicKey: update.publicKey, power: update.power });
  if (!known) validatorCount.put(state, validatorCount.get(state) + 1);
}

/**
 * Takes a validator out for misbehaviour. The last one stays: a chain without any could never change that.
 *
 * @returns the update for the engine, if anything changed.
 */
export function removeMisbehaving(state: StateWriter, address: AccountId): ValidatorUpdate | undefined {
  const row = validators.get(state, address);
  if (row === undefined || validatorCount.get(state) <= 1) return undefined;
  const update = { publicKey: row.publicKey, power: 0n };
  applyValidatorUpdate(state, update);
  return update;
}
