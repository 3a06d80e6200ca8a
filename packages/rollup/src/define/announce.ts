import type { StateReader } from '@switchyard/machine/browser';
import { Rejected, toHex } from '@switchyard/protocol';
import { bytes, text, u64 } from '../schema/scalars.ts';
import { record } from '../schema/shapes.ts';
import { contractOfDocument } from './contract-from.ts';
import { action } from './definition.ts';
import type { DefinitionDocument } from './document.ts';
import { partsAt } from './eras.ts';
import { single } from './table.ts';

const upgrade = {
  /** First block of the new definition. */
  block: u64,
  /** Fingerprint of the definition in force from that block on; `switchyard upgrade check` prints it. */
  definition: bytes({ length: 32 }),
  /** For messages of nodes that lack it. */
  release: text({ maxBytes: 64 }),
};

/** The upgrade that was announced last, and the chain for which: a state may begin another one. */
export const announcedUpgrade = single({
  name: 'announcedUpgrade',
  value: record({ ...upgrade, chainId: text({ maxBytes: 128 }) }),
});

/**
 * An action for definitions: the `upgrade_authority` of the genesis announces the block of an upgrade. Nodes without that definition
 * stop before the block. A later announcement takes the place of an earlier one.
 * @example
 * ```ts
 * defineRollup({ name: 'counter', actions: { ...counter.actions, announceUpgrade } });
 * ```
 */
export const announceUpgrade = action({
  help: 'Announces an upgrade: nodes without its definition stop before its block',
  fields: upgrade,
  execute({ block, definition, release }, { state, signer, height, genesis }) {
    if (genesis.upgradeAuthority === undefined) throw new Rejected('action-disabled', { field: 'upgrade_authority' });
    if (signer !== genesis.upgradeAuthority) throw new Rejected('unauthorized', { account: signer });
    if (block <= height)
      throw new Rejected('malformed', { field: 'block', expected: `a block after ${height}`, got: block });
    announcedUpgrade.put(state, { block, definition, release, chainId: genesis.chainId });
  },
});

/** Fingerprint of a definition in force from a block on. */
export function fingerprintAt(document: DefinitionDocument, block: bigint): string {
  return contractOfDocument(partsAt(document, block)).fingerprint;
}

/** Why a program cannot execute a block: it lacks the definition that was announced for it, or for one before. */
export function missingUpgrade(
  document: DefinitionDocument,
  chainId: string,
  number: bigint,
  state: StateReader,
): string | undefined {
  const announced = announcedUpgrade.get(state);
  if (announced === undefined || announced.block > number || announced.chainId !== chainId) return undefined;
  const { block, release } = announced;
  const [expected, got] = [toHex(announced.definition), fingerprintAt(document, block)];
  if (expected === got) return undefined;
  const needs = `it needs release ${JSON.stringify(release)}, with the definition ${expected} from that block on`;
  return `an upgrade was announced for block ${block}, and this program lacks it: ${needs}, and has ${got}`;
}
