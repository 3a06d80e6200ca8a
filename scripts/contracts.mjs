// Compiles packages/evm/contracts into packages/evm/src/gen. The output is committed, and a test of that package compiles again.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const directory = join(dirname(dirname(fileURLToPath(import.meta.url))), 'packages', 'evm');
const solc = createRequire(import.meta.url)('solc');

const path = 'contracts/SequencerWithdrawer.sol';
const input = {
  language: 'Solidity',
  sources: { [path]: { content: readFileSync(join(directory, path), 'utf8') } },
  settings: { evmVersion: 'cancun', viaIR: true, optimizer: { enabled: true, runs: 200 } },
};
const outputSelection = { '*': { '*': ['abi', 'evm.deployedBytecode.object'] } };
const output = JSON.parse(solc.compile(JSON.stringify({ ...input, settings: { ...input.settings, outputSelection } })));
if (output.errors !== undefined) throw new Error(output.errors.map((each) => each.formattedMessage).join('\n'));
const { abi, evm } = output.contracts[path].SequencerWithdrawer;

const constant = (comment, name, value) =>
  `/** ${comment} */\nexport const ${name} = ${JSON.stringify(value)} as const;\n`;
writeFileSync(
  join(directory, 'src/gen/sequencer-withdrawer.ts'),
  [
    '// Made by scripts/contracts.mjs from contracts/SequencerWithdrawer.sol.\n',
    constant('Version of the compiler.', 'COMPILER', solc.version().replace(/\.Emscripten.*/, '')),
    constant('Standard JSON input of the compiler.', 'INPUT', input),
    constant('Interface of the contract.', 'ABI', abi),
    constant('Code at the address of the contract.', 'CODE', `0x${evm.deployedBytecode.object}`),
  ].join('\n'),
);
