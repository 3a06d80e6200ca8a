import { parseAbi } from '../decode/abi.ts';
import { decodeValues } from '../decode/values.ts';
import { type Artifact, DoesNotCompile, readArtifacts, selectArtifacts } from './artifact.ts';
import { CompilationEnded, type CompileReport } from './compile.ts';
import type { Creation } from './creation.ts';
import { type Match, matchCode } from './match.ts';
import { metadataRegions, metadataSettings } from './metadata.ts';
import { compilerInput, type StandardInput, withMetadata, withOtherMetadata } from './standard-input.ts';
import { notStorable } from './storable.ts';

/** Sources that do not make the code of a contract, and why. */
export class NotVerified extends Error {
  override readonly name = 'NotVerified';
}

export interface Claim {
  readonly input: StandardInput;
  /** Contract as `path:Name` or `Name`; any of the sources that fits, if absent. */
  readonly contract: string | undefined;
  /** Hex without `0x`; that of the creation transaction, if absent. */
  readonly constructorArguments: string | undefined;
}

/** Code of a contract on the chain, and its creation. Hex without `0x`. */
export interface Deployed {
  readonly code: string;
  readonly creation: Pick<Creation, 'code'> | undefined;
}

export interface Verified {
  readonly artifact: Artifact;
  readonly match: Match;
  /** Version that the compiler reports. */
  readonly compiler: string;
  readonly constructorArguments: string | undefined;
}

const MAX_NAMES = 20;

/**
 * Compiles the sources of a claim, and compares the result with the deployed code. Only if the code differs are the
 * sources compiled once more, under another metadata hash, to learn which bytes that hash is; and if the deployed code
 * ends in other metadata, or in none, under the settings that it was made with.
 *
 * @throws {NotVerified}
 */
export async function verifyContract(claim: Claim, deployed: Deployed, run: Compile): Promise<Verified> {
  const first = await compared(claim, deployed, run);
  if ('match' in first) return first;
  const [wanted, got] = [deployed.code, first.code].map((code) => JSON.stringify(metadataSettings(code)));
  const metadata = metadataSettings(deployed.code);
  if (metadata === undefined || wanted === got) throw new NotVerified(first.problem);
  const { contract, constructorArguments } = claim;
  const other = { input: withMetadata(claim.input, metadata), contract, constructorArguments };
  const second = await compared(other, deployed, run).catch((error: unknown) => {
    // A compiler may not have the setting.
    if (error instanceof NotVerified && error.cause instanceof DoesNotCompile) return undefined;
    throw error;
  });
  if (second === undefined || !('match' in second)) throw new NotVerified(first.problem);
  return { ...second, match: { ...second.match, kind: 'partial' } };
}

type Compile = (input: string) => Promise<CompileReport>;

interface Different {
  readonly problem: string;
  /** Code that the sources make instead, hex without `0x`. */
  readonly code: string;
}

async function compared(
  { input, contract, constructorArguments }: Claim,
  deployed: Deployed,
  run: Compile,
): Promise<Verified | Different> {
  const { artifacts, compiler } = await compiled(input, contract, run);
  const verified = (artifact: Artifact, match: Match, other?: Artifact): Verified => {
    const problem = notStorable(artifact, match.libraries);
    if (problem !== undefined) throw new NotVerified(problem);
    return {
      artifact,
      match,
      compiler,
      constructorArguments: findArguments(artifact, deployed, constructorArguments, other),
    };
  };
  const exact = best(artifacts, deployed.code);
  if (exact !== undefined) return verified(...exact);
  const code = artifacts[0]?.runtime.object ?? '';
  const candidates = artifacts.filter(({ runtime }) => runtime.object.length === deployed.code.length);
  if (candidates.length === 0) return { problem: differentLength(artifacts, deployed.code), code };
  const others = (await compiled(withOtherMetadata(input), contract, run)).artifacts;
  for (const artifact of candidates) {
    const other = others.find(({ path, name }) => path === artifact.path && name === artifact.name);
    const metadata = other && metadataRegions(artifact.runtime.object, other.runtime.object);
    const match = metadata && matchCode(artifact.runtime, deployed.code, { metadata });
    if (match !== undefined && other !== undefined) return verified(artifact, match, other);
  }
  return { problem: differentCode(candidates, deployed.code), code };
}

async function compiled(
  input: StandardInput,
  contract: string | undefined,
  run: Compile,
): Promise<{ artifacts: Artifact[]; compiler: string }> {
  try {
    const { output, version } = await run(compilerInput(input));
    if (output === undefined) throw new NotVerified('the result of the compiler: expected at most 16 MiB');
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

/** The first whose code is the deployed one; preferably a full match. */
function best(artifacts: readonly Artifact[], code: string): readonly [Artifact, Match] | undefined {
  const found = artifacts.flatMap((artifact) => {
    const match = matchCode(artifact.runtime, code);
    return match === undefined ? [] : [[artifact, match] as const];
  });
  return found.find(([, { kind }]) => kind === 'full') ?? found[0];
}

/**
 * Bytes after the code in the creation transaction, if that is known and has this code.
 *
 * @throws {NotVerified} if the claim has others.
 */
function findArguments(
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
