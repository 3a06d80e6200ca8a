import { parseAbi } from '../decode/abi.ts';
import { decodeValues } from '../decode/values.ts';
import { type Artifact, DoesNotCompile, readArtifacts, selectArtifacts } from './artifact.ts';
import { CompilationEnded, type CompileReport } from './compile.ts';
import type { Creation } from './creation.ts';
import { type Match, matchCode } from './match.ts';
import { metadataRegions } from './metadata.ts';
import { compilerInput, type StandardInput, withOtherMetadata } from './standard-input.ts';

/** Sources that do not make the code of a contract, and why. */
export class NotVerified extends Error {
  override readonly name = 'NotVerified';
}

export interface Claim {
  readonly input: StandardInput;
  /** As `path:Name` or `Name`; any of the sources that fits, if absent. */
  readonly contract: string | undefined;
  /** Hex without `0x`; what the creation transaction has, if absent. */
  readonly constructorArguments: string | undefined;
}

/** What the chain has. Hex without `0x`. */
export interface Deployed {
  readonly code: string;
  readonly creation: Creation | undefined;
}

export interface Verified {
  readonly artifact: Artifact;
  readonly match: Match;
  /** As the compiler reports it. */
  readonly compiler: string;
  readonly constructorArguments: string | undefined;
}

const MAX_NAMES = 20;

/**
 * Compiles the sources of a claim, and compares the result with what is deployed. Only where the code differs are the
 * sources compiled once more, under another metadata hash, to learn which bytes that hash is.
 *
 * @throws {NotVerified}
 */
export async function verifyContract(
  { input, contract, constructorArguments }: Claim,
  deployed: Deployed,
  run: (input: string) => Promise<CompileReport>,
): Promise<Verified> {
  const { artifacts, compiler } = await compiled(input, contract, run);
  const exact = best(artifacts, deployed.code);
  if (exact !== undefined) {
    const [artifact, match] = exact;
    return { artifact, match, compiler, constructorArguments: argumentsOf(artifact, deployed, constructorArguments) };
  }
  const candidates = artifacts.filter(({ runtime }) => runtime.object.length === deployed.code.length);
  if (candidates.length === 0) throw new NotVerified(differentLength(artifacts, deployed.code));
  const others = (await compiled(withOtherMetadata(input), contract, run)).artifacts;
  for (const artifact of candidates) {
    const other = others.find(({ path, name }) => path === artifact.path && name === artifact.name);
    const metadata = other && metadataRegions(artifact.runtime.object, other.runtime.object);
    const match = metadata && matchCode(artifact.runtime, deployed.code, { metadata });
    if (match === undefined || other === undefined) continue;
    return {
      artifact,
      match,
      compiler,
      constructorArguments: argumentsOf(artifact, deployed, constructorArguments, other),
    };
  }
  throw new NotVerified(differentCode(candidates, deployed.code));
}

async function compiled(
  input: StandardInput,
  contract: string | undefined,
  run: (input: string) => Promise<CompileReport>,
): Promise<{ artifacts: Artifact[]; compiler: string }> {
  try {
    const { output, version } = await run(compilerInput(input));
    if (output === undefined) throw new NotVerified('the result of the compiler is too long');
    const all = readArtifacts(output);
    const artifacts = selectArtifacts(all, contract);
    if (artifacts.length > 0) return { artifacts, compiler: version };
    const names = all.map(({ path, name }) => `${path}:${name}`).slice(0, MAX_NAMES);
    throw new NotVerified(`expected one of ${names.join(', ') || 'no contract at all'}, got ${contract ?? 'no name'}`);
  } catch (error) {
    if (error instanceof DoesNotCompile || error instanceof CompilationEnded)
      throw new NotVerified(error.message, { cause: error });
    throw error;
  }
}

/** The first whose code is the deployed one; one that matches fully, if there is such. */
function best(artifacts: readonly Artifact[], code: string): readonly [Artifact, Match] | undefined {
  const found = artifacts.flatMap((artifact) => {
    const match = matchCode(artifact.runtime, code);
    return match === undefined ? [] : [[artifact, match] as const];
  });
  return found.find(([, { kind }]) => kind === 'full') ?? found[0];
}

/**
 * What follows the code in the creation transaction, where that is known and has this code.
 *
 * @throws {NotVerified} where the claim has others.
 */
function argumentsOf(
  { creation, abi }: Artifact,
  deployed: Deployed,
  claimed: string | undefined,
  other?: Artifact,
): string | undefined {
  const metadata = other && metadataRegions(creation.object, other.creation.object);
  const match = deployed.creation?.code && matchCode(creation, deployed.creation.code, { metadata, allowRest: true });
  if (!match) return undefined;
  if (claimed !== undefined && claimed !== '' && claimed.toLowerCase() !== match.rest)
    throw new NotVerified(`constructor arguments: expected ${shortened(match.rest)}, got ${shortened(claimed)}`);
  const { constructorInputs } = parseAbi(abi);
  const fits = constructorInputs.length === 0 || decodeValues(constructorInputs, `0x${match.rest}`) !== undefined;
  return fits ? match.rest : undefined;
}

function differentLength(artifacts: readonly Artifact[], code: string): string {
  const made = artifacts.map(({ name, runtime }) => `${name} ${runtime.object.length / 2}`).slice(0, MAX_NAMES);
  return `the code is different: expected ${code.length / 2} bytes, got ${made.join(', ')}; check compiler version and settings`;
}

function differentCode(candidates: readonly Artifact[], code: string): string {
  const names = candidates.map(({ name }) => name).slice(0, MAX_NAMES);
  return `the code of ${names.join(', ')} is different from the ${code.length / 2} bytes of the contract; check sources and settings`;
}

const shortened = (hex: string): string => (hex.length > 200 ? `${hex.slice(0, 200)}…` : hex || 'none');
