import { fromHex } from '@switchyard/protocol';
import { type CelestiaSigner, createCelestiaSigner } from '@switchyard/protocol/celestia';

/** SHA-256 of `celestia devnet relayer`: pays in networks for development and for tests. Published, so its funds are everybody's. */
export const DEVELOPMENT_KEY = '2a3f93316a18aa8ac78ed96b10b713ee71315cf3ebade8f75669ec55f1ecf4be';

export function developmentSigner(): CelestiaSigner {
  return createCelestiaSigner(fromHex(DEVELOPMENT_KEY));
}
