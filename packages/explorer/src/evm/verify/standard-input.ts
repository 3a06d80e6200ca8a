import { type Input, parseInput } from '@switchyard/service/input';

/** What the compiler is given, from a request, with nothing in it that would have it read a file or an address. */
export interface StandardInput {
  readonly language: 'Solidity';
  readonly sources: Readonly<Record<string, { readonly content: string }>>;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Of the text of all sources; a request is a little longer. */
export const MAX_INPUT_BYTES = 4 * 1_048_576;
const MAX_SOURCES = 2_000;
const MAX_PATH = 512;
const MAX_DEPTH = 32;
/** Parts of the result that are compared or kept. */
const OUTPUT = [
  'abi',
  'evm.bytecode.object',
  'evm.bytecode.linkReferences',
  'evm.deployedBytecode.object',
  'evm.deployedBytecode.linkReferences',
  'evm.deployedBytecode.immutableReferences',
];

/** @throws {InvalidData} where it is not standard JSON input for Solidity with the text of each source. */
export function parseStandardInput(text: string): StandardInput {
  return readStandardInput(parseInput(text, '', MAX_DEPTH));
}

/** The same, where the JSON was parsed already. @throws {InvalidData} */
export function readStandardInput(input: Input): StandardInput {
  if (input.at('language').value !== 'Solidity') input.at('language').fail('"Solidity"');
  const members = input.at('sources').members(MAX_SOURCES);
  if (members.length === 0) input.at('sources').fail('at least one source');
  const sources = members.map(([path, source]) => {
    if (path === '' || path.length > MAX_PATH) source.fail(`a path of 1 to ${MAX_PATH} characters`);
    return [path, { content: source.at('content').text() }] as const;
  });
  const settings = input.at('settings').isPresent ? input.at('settings').object() : {};
  // What only checks the sources changes nothing about the code, and takes long.
  const { modelChecker: _, stopAfter: __, outputSelection: ___, ...kept } = settings;
  return { language: 'Solidity', sources: Object.fromEntries(sources), settings: kept };
}

/** One source and the few settings that forms have fields for. */
export function singleSource(options: {
  readonly content: string;
  readonly optimizerRuns: number | undefined;
  readonly evmVersion: string | undefined;
  readonly libraries: Readonly<Record<string, string>>;
}): StandardInput {
  const { content, optimizerRuns, evmVersion, libraries } = options;
  const path = 'contract.sol';
  return {
    language: 'Solidity',
    sources: { [path]: { content } },
    settings: {
      optimizer: optimizerRuns === undefined ? { enabled: false } : { enabled: true, runs: optimizerRuns },
      ...(evmVersion !== undefined && { evmVersion }),
      ...(Object.keys(libraries).length > 0 && { libraries: { [path]: libraries } }),
    },
  };
}

/** For the compiler: also the parts of the result that are needed. */
export function compilerInput(input: StandardInput): string {
  const outputSelection = { '*': { '*': OUTPUT } };
  return JSON.stringify({ ...input, settings: { ...input.settings, outputSelection } });
}

/** The same program under another metadata hash. */
export function withOtherMetadata(input: StandardInput): StandardInput {
  const sources = Object.entries(input.sources).map(
    ([path, { content }]) => [path, { content: `${content}\n// other metadata\n` }] as const,
  );
  return { ...input, sources: Object.fromEntries(sources) };
}
