import { execute } from '@switchyard/evm-machine/execute';
import { StateOverlay } from '@switchyard/evm-machine/overlay';
import { readyPrecompiles } from '@switchyard/evm-machine/precompiles';

await readyPrecompiles();
const state = new StateOverlay({ account: () => undefined, storage: () => 0n, code: () => new Uint8Array() });
const from = '0x00000000000000000000000000000000000000aa';
const block = {
  ...({ number: 1n, timestamp: 1_800_000_000n, gasLimit: 30_000_000n, coinbase: from, difficulty: 0n } as const),
  ...({ prevRandao: `0x${'00'.repeat(32)}`, baseFeePerGas: 0n, blobBaseFee: 1n } as const),
};
/** Creates a contract from code that returns the byte 0x2a. */
const data = Uint8Array.of(0x60, 0x2a, 0x5f, 0x53, 0x60, 0x01, 0x5f, 0xf3);
const message = {
  from,
  to: undefined,
  nonce: 0n,
  gasLimit: 100_000n,
  gasPrice: 0n,
  value: 0n,
  data,
  accessList: [],
} as const;

// It is called again and again; an error that it throws ends the execution.
const watch = () => undefined;
const options = { fork: 'osaka', chainId: 1n, state, block, blockHash: () => undefined, watch } as const;
export const { created, gasUsed, output } = execute(options, message).run();
