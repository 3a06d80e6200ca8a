import { assetId, type Snapshot, type StateWriter, table, text } from '@switchyard/machine';
import { type AssetId, type Denom, ibcForm } from '@switchyard/protocol';

/** Names of the assets that were ever given out. An id is the hash of its name, so nothing else tells it. */
const names = table({ prefix: 'index/asset-names/', key: assetId, value: text });

export function rememberName(state: StateWriter, { id, text: name, form }: Denom): void {
  if (form === 'trace' && !names.has(state, id)) names.put(state, id, name);
}

export function nameOf(snapshot: Snapshot, asset: AssetId): string {
  return names.get(snapshot, asset) ?? ibcForm(asset);
}
