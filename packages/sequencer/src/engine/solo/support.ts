import { Rejected, toHex, toProtoName } from '@switchyard/protocol';
import type { EngineSupport } from '../../app/types.ts';

/**
 * The solo engine signs with one key, so its validator set is that one validator, regardless of its power. A block that adds
 * another would stop the engine for good: such a transaction must not come into one.
 */
export function soloSupport(publicKey: Uint8Array): EngineSupport {
  return (action) => {
    if (action.kind !== 'validatorUpdate' || action.power === 0n) return;
    if (Buffer.compare(action.publicKey, publicKey) === 0) return;
    throw new Rejected('unsupported-action', {
      action: toProtoName(action.kind),
      validator: toHex(action.publicKey),
      problem: "the solo engine runs this node's validator only; run the chain under CometBFT to add validators",
    });
  };
}
