// Random blocks here and in geth's `evm t8n`, which is built if it is not there: see docs/measurements/evm-official-tests.md. Takes the options
// of the program; with `--write-state-tests` makes the state tests that are committed instead.
import { build } from './geth.mjs';

const { evmBinary, problem } = build();
if (evmBinary === undefined) {
  console.error(`geth's evm was not built: ${problem}`);
  process.exit(1);
}
process.argv.push('--evm', evmBinary);
const program = process.argv.includes('--write-state-tests') ? 'write-state-tests' : 'main';
await import(`../packages/evm/dist/testing/random/${program}.js`);
