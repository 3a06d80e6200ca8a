import { readJsonFile } from '@switchyard/service/lenient';
import type { Cli } from '../../cli.ts';
import { findTarget } from '../../target.ts';
import { bridgesIn, rollupGenesesIn, textAt } from '../config/genesis.ts';
import type { InstanceChoice } from '../instance/which.ts';

/** Names, as the sequencer has them, of the rollups of an instance that credit deposits of a bridge account. */
export async function rollupsCrediting(bridge: string, choice: InstanceChoice, cli: Cli): Promise<readonly string[]> {
  const chosen = await findTarget(choice, cli, () => true);
  if (chosen === undefined) return [];
  const credited = rollupGenesesIn(chosen.instance).filter(({ path, keys }) => bridgesIn(path, keys).includes(bridge));
  return credited.flatMap(({ path, keys }) => readJsonFile(path, ({ value }) => textAt(value, keys.rollupName)) ?? []);
}
