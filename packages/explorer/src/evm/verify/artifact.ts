import { type Input, parseInput } from '@switchyard/service/input';

/** Code as the compiler makes it: with gaps for addresses of libraries and values that are known only when it is deployed. */
export type Template = ReturnType<typeof readTemplate>;

/** Bytes that belong together, such as all places of one library. */
export type Gap = ReturnType<typeof readGap>;

/** One contract of a compilation. */
export type Artifact = ReturnType<typeof readArtifact>;

/** If the compiler refuses the sources. */
export class DoesNotCompile extends Error {
  override readonly name = 'DoesNotCompile';
}

const MAX_DEPTH = 256;
const MAX_PROBLEMS = 5;
const MAX_PROBLEM = 1_000;

/** @throws {DoesNotCompile} */
export function readArtifacts(output: string): Artifact[] {
  const result = parseInput(output, 'the compiler', MAX_DEPTH);
  const problems = result
    .at('errors')
    .list()
    .filter((each) => each.at('severity').value === 'error')
    .map((each) => each.at('formattedMessage').text().trim().slice(0, MAX_PROBLEM));
  if (problems.length > 0) throw new DoesNotCompile(problems.slice(0, MAX_PROBLEMS).join('\n'));
  const files = result.at('contracts').isPresent ? result.at('contracts').members() : [];
  return files.flatMap(([path, contracts]) =>
    contracts.members().map(([name, contract]) => readArtifact(path, name, contract)),
  );
}

function readArtifact(path: string, name: string, contract: Input) {
  const evm = contract.at('evm');
  return {
    path,
    name,
    abi: contract
      .at('abi')
      .list()
      .map(({ value }) => value),
    creation: readTemplate(evm.at('bytecode')),
    runtime: readTemplate(evm.at('deployedBytecode')),
  };
}

function readTemplate(code: Input) {
  const references = (input: Input) => (input.isPresent ? input.members() : []);
  return {
    // Hex without `0x`; a gap for a library is filled with a placeholder that is no hex.
    object: code.at('object').text(),
    libraries: references(code.at('linkReferences')).flatMap(([file, libraries]) =>
      libraries.members().map(([name, places]) => readGap(`${file}:${name}`, places)),
    ),
    immutables: references(code.at('immutableReferences')).map(([id, places]) => readGap(id, places)),
  };
}

function readGap(name: string, places: Input) {
  const read = (place: Input) => ({ start: place.at('start').integer(), length: place.at('length').integer() });
  return { name, places: places.list().map(read) };
}

/** The contract that a request names, as `path:Name` or `Name`; all that have code, if it names none. */
export function selectArtifacts(artifacts: readonly Artifact[], name: string | undefined): Artifact[] {
  const deployable = artifacts.filter(({ runtime }) => runtime.object !== '');
  if (name === undefined || name === '') return deployable;
  const at = name.lastIndexOf(':');
  const [path, contract] = at < 0 ? [undefined, name] : [name.slice(0, at), name.slice(at + 1)];
  const named = deployable.filter((each) => each.name === contract);
  const exact = named.filter((each) => each.path === path);
  // Tools differ in how they write a path; the name decides if it is the only one.
  return exact.length > 0 || named.length > 1 ? (path === undefined ? named : exact) : named;
}
