/* Trust that passes from one validator set to another. This file also runs in web pages. */
import { type Commit, toHex, type Validator } from '@switchyard/protocol';

/**
 * Applies the light client's rule: a third of the known set's power has to stand behind a set that is new.
 *
 * @param validators Set whose signatures are in the commit, in its order, and were checked.
 */
export function isBackedBy(known: readonly Validator[], validators: readonly Validator[], commit: Commit): boolean {
  const signed = new Set(
    validators.flatMap(({ publicKey }, index) =>
      commit.signatures[index]?.flag === 'commit' ? [toHex(publicKey)] : [],
    ),
  );
  let total = 0n;
  let behind = 0n;
  for (const { publicKey, power } of known) {
    total += power;
    if (signed.has(toHex(publicKey))) behind += power;
  }
  return behind * 3n > total;
}
