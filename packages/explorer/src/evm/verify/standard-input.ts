import { exactJsonText } from '@switchyard/service';
import { type Input, parseInput } from '@switchyard/service/input';
import type { MetadataSettings } from './metadata.ts';
import { MAX_INPUT_BYTES } from './storable.ts';

/** Input of the compiler, from a request, with nothing in it that would have it read a file or an address. */
export interface StandardInput {
  readonly language: 'Solidity';
  readonly sources: Readonly<Record<string, { readonly content: string }>>;
  readonly settings: Readonly<Record<string, unknown>>;
}

const MAX_SETTINGS_BYTES = 131_072;
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

/** @throws {InvalidData} if it is not standard JSON input for Solidity with the text of each source. */
export function parseStandardInput(text: string): StandardInput {
  return readStandardInput(parseInput(text, '', MAX_DEPTH));
}

/** Reads standard JSON input that was parsed already. @throws {InvalidData} */
export function readStandardInput(input: Input): StandardInput {
  if (input.at('language').value !== 'Solidity') input.at('language').fail('"Solidity"');
  const members = input.at('sources').members(MAX_SOURCES);
  if (members.length === 0) input.at('sources').fail('at least one source');
  const sources = members.map(([path, source]) => {
    if (path === '' || path.length > MAX_PATH) source.fail(`a path of 1 to ${MAX_PATH} characters`);
    return [path, { content: source.at('content').text() }] as const;
  });
  const settings = input.at('settings').isPresent ? input.at('settings').object() : {};
  // Settings for checks of the sources change nothing about the code, and take long.
  const { modelChecker: _, stopAfter: __, outputSelection: ___, ...kept } = settings;
  mustFit(input.at('settings'), kept, MAX_SETTINGS_BYTES);
  const read = { language: 'Solidity', sources: Object.fromEntries(sources), settings: kept } as const;
  mustFit(input.at('sources'), read, MAX_INPUT_BYTES);
  return read;
}

function mustFit(input: Input, value: unknown, most: number): void {
  const length = Buffer.byteLength(exactJsonText(value));
  if (length > most) input.fail(`at most ${most} bytes as JSON, got ${length}`);
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
  return exactJsonText({ ...input, settings: { ...input.settings, outputSelection } });
}

/** Gives a program other metadata settings, and so another end of its code. */
export function withMetadata(input: StandardInput, metadata: MetadataSettings): StandardInput {
  const { appendCBOR, bytecodeHash } = metadata;
  const own = Object(input.settings.metadata) as object;
  // Compilers before 0.8.18 do not know it.
  const append = !appendCBOR || 'appendCBOR' in own ? { appendCBOR } : {};
  return { ...input, settings: { ...input.settings, metadata: { ...own, bytecodeHash, ...append } } };
}

/** Gives a program another metadata hash. */
export function withOtherMetadata(input: StandardInput): StandardInput {
  const sources = Object.entries(input.sources).map(
    ([path, { content }]) => [path, { content: `${content}\n// other metadata\n` }] as const,
  );
  return { ...input, sources: Object.fromEntries(sources) };
}
