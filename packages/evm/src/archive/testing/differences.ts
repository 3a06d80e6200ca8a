/** How an answer of ours differs from the suite's. */
export interface Difference {
  /**
   * `absent`: the method is missing, on purpose. `refused`: the request is refused, on purpose. `words`: the same
   * code, with a message in our words.
   */
  readonly kind: 'absent' | 'refused' | 'words';
  readonly why: string;
}

const BUILDS: Difference = {
  kind: 'absent',
  why: 'what is in a block, and in which order, is decided by the sequencer: a node builds none on request',
};
const WORDS: Difference = {
  kind: 'words',
  why: 'the message of go-ethereum is that of its own JSON parser; ours names what was expected and what it got',
};

/** Files of the suite that are not answered as they say. Every other one is. */
export const DIFFERENCES: Readonly<Record<string, Difference>> = {
  'eth_sendRawTransaction/send-blob-tx': {
    kind: 'refused',
    why: 'the intake of a rollup takes no transactions of type 3: blobs travel beside blocks, and the sequencer orders blocks only',
  },
  'testing_buildBlockV1/build-block-empty-transactions': BUILDS,
  'testing_buildBlockV1/build-block-from-mempool': BUILDS,
  'testing_buildBlockV1/build-block-invalid-transaction': BUILDS,
  'testing_buildBlockV1/build-block-with-transactions': BUILDS,
  'debug_getRawBlock/get-invalid-number': WORDS,
  'debug_getRawHeader/get-invalid-number': WORDS,
  'debug_getRawReceipts/get-invalid-number': WORDS,
  'debug_getRawTransaction/get-invalid-hash': WORDS,
  'debug_traceBlockByNumber/trace-block-invalid-number': WORDS,
};
