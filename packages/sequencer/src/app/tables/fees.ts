import {
  assetId,
  list,
  type StateReader,
  type StateWriter,
  struct,
  table,
  text,
  u128,
  type ValueOf,
} from '@switchyard/machine';
import { type ActionKind, type AssetId, type Denom, Rejected, toProtoName } from '@switchyard/protocol';
import { cell } from './cell.ts';

const components = struct({ base: u128, multiplier: u128 });

export type FeeComponents = ValueOf<typeof components>;

/** Cost of an action, by its kind. An action without a row is disabled. */
export const feeComponents = table({ prefix: 'fees/components/', key: text, value: components });

/** Assets that fees may be paid in, in the order they were added. One row: it is short, and "not the last" needs all of it. */
const allowed = cell('fees/allowed-assets', list(assetId), []);

export function allowedFeeAssets(state: StateReader): readonly AssetId[] {
  return allowed.get(state);
}

export function allowFeeAssets(state: StateWriter, assets: readonly AssetId[]): void {
  allowed.put(state, assets);
}

/** @throws {Rejected} `action-disabled`. */
export function getComponents(state: StateReader, action: ActionKind): FeeComponents {
  const found = feeComponents.get(state, action);
  if (found === undefined) throw new Rejected('action-disabled', { action: toProtoName(action) });
  return found;
}

/** @throws {Rejected} `fee-asset-not-allowed`. */
export function mustBeAllowed(state: StateReader, asset: Denom): void {
  if (!allowed.get(state).includes(asset.id)) throw new Rejected('fee-asset-not-allowed', { asset: asset.text });
}
