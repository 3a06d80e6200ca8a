/** Blocks from and to generated messages, for services and clients that speak gRPC. */
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  FilteredSequencerBlockSchema,
  SequencerBlockSchema,
  type SequencerBlock as WireBlock,
  type FilteredSequencerBlock as WireFilteredBlock,
} from '../gen/astria/sequencerblock/v1/block_pb.ts';
import type { FilteredBlock, SequencerBlock } from './block.ts';
import { decodeFilteredBlock, decodeSequencerBlock, encodeFilteredBlock, encodeSequencerBlock } from './block-codec.ts';

// One description of a block is enough: these go through the bytes.
export const sequencerBlockToWire = (block: SequencerBlock): WireBlock =>
  fromBinary(SequencerBlockSchema, encodeSequencerBlock(block));

export const sequencerBlockFromWire = (message: WireBlock): SequencerBlock =>
  decodeSequencerBlock(toBinary(SequencerBlockSchema, message));

export const filteredBlockToWire = (block: FilteredBlock): WireFilteredBlock =>
  fromBinary(FilteredSequencerBlockSchema, encodeFilteredBlock(block));

export const filteredBlockFromWire = (message: WireFilteredBlock): FilteredBlock =>
  decodeFilteredBlock(toBinary(FilteredSequencerBlockSchema, message));
