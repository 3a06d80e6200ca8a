import { readFileSync } from 'node:fs';
import solc from 'solc';
import { type Hex, parseAbi } from 'viem';

/** The interface of Counter.sol, from which viem has the types of its calls. */
export const counterAbi = parseAbi([
  'function total() view returns (uint256)',
  'function add(uint256 amount)',
  'event Added(address indexed by, uint256 amount)',
  'error Empty()',
]);

interface Output {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts: {
    readonly 'Counter.sol': { readonly Counter: { readonly evm: { readonly bytecode: { readonly object: string } } } };
  };
}

/** Compiles Counter.sol. @throws {Error} with the messages of the compiler. */
export function compiledCounter(): Hex {
  const content = readFileSync(new URL('../contracts/Counter.sol', import.meta.url), 'utf8');
  const settings = { optimizer: { enabled: true }, outputSelection: { '*': { '*': ['evm.bytecode.object'] } } };
  const input = { language: 'Solidity', sources: { 'Counter.sol': { content } }, settings };
  const { errors = [], contracts } = JSON.parse(solc.compile(JSON.stringify(input))) as Output;
  const wrong = errors.filter(({ severity }) => severity === 'error');
  if (wrong.length > 0) throw new Error(wrong.map(({ formattedMessage }) => formattedMessage).join('\n'));
  return `0x${contracts['Counter.sol'].Counter.evm.bytecode.object}`;
}
