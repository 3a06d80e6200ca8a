import type { StateReader } from '@switchyard/machine/browser';
import type { Fields, RecordType } from '../schema/shapes.ts';
import type { wireDecoder } from './definitions.node.ts';

/** Parts of definitions that execution alone needs: a page that executes brings them, and others are smaller without. */
export const executionParts: {
  /** The type in force in the block that is executed. */
  typeNow?: (newest: RecordType<Fields>) => RecordType<Fields>;
  isCounted?: (state: StateReader) => boolean;
  wireDecoder?: typeof wireDecoder;
} = {};
