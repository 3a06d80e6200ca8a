import type { AccountId } from '../accounts/ids.ts';
import { Rejected } from '../errors.ts';
import type { Group } from './group.ts';
import { type Action, DEFINITIONS, getDefinition } from './registry.ts';

/** @throws {Rejected} `malformed` without actions, `group-mismatch` for actions that may not stand together. */
export function getGroup(actions: readonly Action[]): Group {
  const [first] = actions;
  if (first === undefined) throw new Rejected('malformed', { part: 'actions', expected: 'at least one' });
  const { group } = DEFINITIONS[first.kind];
  for (const { kind } of actions) {
    if (DEFINITIONS[kind].group !== group) throw new Rejected('group-mismatch', { first: first.kind, other: kind });
  }
  if (actions.length > 1 && group.startsWith('unbundleable')) {
    throw new Rejected('group-mismatch', {
      action: first.kind,
      expected: 'alone in its transaction',
      got: actions.length,
    });
  }
  return group;
}

/** Accounts whose nonce or balances an action can change, besides the signer's. */
export function touchedAccounts(action: Action): readonly AccountId[] {
  return getDefinition(action).touchedAccounts(action);
}
