export * from './accounts/address.ts';
export * from './accounts/amount.ts';
export * from './accounts/asset.ts';
export * from './accounts/development-keys.ts';
export * from './accounts/ids.ts';
export * from './accounts/in-words.ts';
export * from './accounts/keys.ts';
export { type Json, plainJson } from './accounts/plain-json.ts';
export * from './actions/index.ts';
export * from './blocks/block.ts';
export {
  decodeFilteredBlock,
  decodeSequencerBlock,
  encodeFilteredBlock,
  encodeSequencerBlock,
} from './blocks/block-codec.ts';
export * from './blocks/block-wire.ts';
export * from './blocks/execution.ts';
export * from './blocks/inclusion.ts';
export * from './blocks/input-digest.ts';
export * from './blocks/merkle.ts';
export * from './blocks/rollup-block.ts';
export {
  type Deposit,
  decodeRollupData,
  depositFromWire,
  encodeDeposit,
  type RollupData,
} from './blocks/rollup-data.ts';
export * from './blocks/state-proof.ts';
export * from './bytes/hash.ts';
export { decodeMessage } from './bytes/message.ts';
export { Reader } from './bytes/reader.ts';
export { type RecordOf, type Stored, stored, storedRecord } from './bytes/stored-record.ts';
export { compareTimestamps, type Timestamp, timestampFromMillis, timestampToMillis } from './bytes/timestamp.ts';
export * from './bytes/uint128.ts';
export { Writer } from './bytes/writer.ts';
export * from './comet/commit.ts';
export * from './comet/decode.ts';
export { encodeBlock, encodeSignedHeader } from './comet/encode.ts';
export { type ChainFacts, haltReason, SHORT_MS } from './comet/halt.ts';
export * from './comet/hashes.ts';
export * from './comet/json.ts';
export * from './comet/light-client.ts';
export * from './comet/render.ts';
export * from './comet/rfc3339.ts';
export * from './comet/types.ts';
export * from './errors.ts';
export * from './posted/entries.ts';
export * from './posted/limits.ts';
export * from './posted/lists.ts';
export * from './transactions/envelope.ts';
export * from './transactions/transaction.ts';
export * from './transactions/transaction-params.ts';
export { verifyEnvelope } from './transactions/verify-envelope.ts';
