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

/** Who may change the chain's own settings, and who receives its fees. */
export const sudo = cell('authority/sudo', accountId);

/** Kept from genesis for the day IBC is served. */
export const ibcSudo = cell('authority/ibc-sudo', accountId);
export const ibcRelayers = table({ prefix: 'authority/ibc-relayer/', key: accountId, value: unit });

/** By address, which for a validator key is derived as for any account. */
export const validators = table({
  prefix: 'authority/validator/',
  key: accountId,
  value: struct({ publicKey: bytes, power: u64 }),
});

const validatorCount = cell('authority/validator-count', u32, 0);

/** @throws {Rejected} `unauthorized`, unless `signer` is the authority. */
export function mustBeSudo(state: StateReader, signer: AccountId): void {
  const expected = present(sudo, state);
  if (signer !== expected) throw new Rejected('unauthorized', { signer, expected });
}

/**
 * Whether the update may be applied: what is removed must exist, and one validator must remain.
 *
 * @throws {Rejected} `unknown-validator` or `last-validator`.
 */
export function checkValidatorUpdate(state: StateReader, { publicKey, power }: ValidatorUpdate): void {
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
 * @returns what the engine has to be told, if anything changed.
 */
export function removeMisbehaving(state: StateWriter, address: AccountId): ValidatorUpdate | undefined {
  const row = validators.get(state, address);
  if (row === undefined || validatorCount.get(state) <= 1) return undefined;
  const update = { publicKey: row.publicKey, power: 0n };
  applyValidatorUpdate(state, update);
  return update;
}
