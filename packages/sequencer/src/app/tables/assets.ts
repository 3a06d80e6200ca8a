import { assetId, type StateReader, table, text } from '@switchyard/machine';
import { type AssetId, type Denom, ibcForm, Rejected } from '@switchyard/protocol';

/** Full names of the assets that this chain knows by more than their id: its native one, and those it received by transfer. */
export const assets = table({ prefix: 'assets/name/', key: assetId, value: text });

/** For people: the full name if it is known, else the form that carries only the id. */
export function assetName(state: StateReader, asset: AssetId): string {
  return assets.get(state, asset) ?? ibcForm(asset);
}

/**
 * The full name, from the asset as a transaction names it or from the table.
 *
 * @throws {Rejected} `unknown-asset`
 */
export function fullName(state: StateReader, asset: Denom): string {
  return asset.form === 'trace' ? asset.text : getFullName(state, asset.id);
}

/** @throws {Rejected} `unknown-asset` */
export function getFullName(state: StateReader, asset: AssetId): string {
  const name = assets.get(state, asset);
  if (name === undefined) throw new Rejected('unknown-asset', { asset: ibcForm(asset) });
  return name;
}
