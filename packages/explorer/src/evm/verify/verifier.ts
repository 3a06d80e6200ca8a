import { type Clock, errorLine, HttpError, isAbort, type Logger, type WallClock } from '@switchyard/service';
import type { IndexStore } from '../../store/store.ts';
import { type CompileOptions, compile } from './compile.ts';
import { compilerVersionText, isSameCompiler, parseCompilerVersion } from './compiler-version.ts';
import type { Compiler, Compilers } from './compilers.ts';
import { ContractKeeper } from './contract-keeper.ts';
import { getCode } from './contract-node.ts';
import { getCreation } from './creation.ts';
import type { MatchKind } from './match.ts';
import { type ContractRollup, codeHash, type VerifiedContracts } from './verified-contracts.ts';
import { type Claim, NotVerified, verifyContract } from './verify-contract.ts';

export interface VerificationRequest extends Claim {
  readonly rollup: ContractRollup;
  /** Lower-case hex without `0x`. */
  readonly address: string;
  /** Version such as `0.8.26+commit.8a97fa7a`; the commit may be left out. */
  readonly compiler: string;
}

export type VerificationState =
  | { readonly state: 'queued' }
  | { readonly state: 'verified'; readonly match: MatchKind }
  | { readonly state: 'failed'; readonly reason: string };

export interface VerifierDeps {
  readonly store: IndexStore;
  readonly contracts: VerifiedContracts;
  readonly compilers: Compilers;
  readonly clock: Clock;
  readonly wall: WallClock;
  /** This many random bytes, as hex. */
  readonly randomHex: (bytes: number) => string;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly limits?: CompileOptions;
}

const MAX_QUEUED = 16;
const MAX_QUEUED_OF_CLIENT = 4;
const MAX_REMEMBERED = 1_000;
const ID_BYTES = 12;

/** Without its request, which may be megabytes: jobs are remembered when they are over. */
interface Job {
  readonly client: string;
  state: VerificationState;
}

/** Verifies contracts, one at a time, in the order of their requests. */
export class Verifier {
  readonly #deps: VerifierDeps;
  readonly #jobs = new Map<string, Job>();
  readonly #keeper: ContractKeeper;
  #work: Promise<void> = Promise.resolve();

  constructor(deps: VerifierDeps) {
    this.#deps = deps;
    this.#keeper = new ContractKeeper(deps);
  }

  /**
   * Queues a request, which has been checked as far as it can be without compiling.
   *
   * @param client Whose request it is, for limits.
   * @returns the id of the job: the address, and something that cannot be guessed.
   * @throws {HttpError} if it cannot succeed, or too many wait.
   */
  async submit(request: VerificationRequest, client: string): Promise<string> {
    const { rollup, address, compiler } = request;
    const found = this.#compiler(compiler);
    const { record } = await this.#deps.contracts.find(rollup, address);
    if (record?.kind === 'full') throw new HttpError(409, 'already-verified', `0x${address} is verified already`);
    if ((await getCode(rollup.node, `0x${address}`, this.#deps.signal)) === '')
      throw new HttpError(404, 'no-contract', `0x${address} has no code in rollup ${rollup.id}`);
    const queued = [...this.#jobs.values()].filter(({ state }) => state.state === 'queued');
    const own = queued.filter((job) => job.client === client);
    if (queued.length >= MAX_QUEUED || own.length >= MAX_QUEUED_OF_CLIENT)
      throw new HttpError(429, 'limit-reached', 'too many verifications are waiting; try again later');
    const id = `${address}${this.#deps.randomHex(ID_BYTES)}`;
    const job: Job = { client, state: { state: 'queued' } };
    this.#jobs.set(id, job);
    this.#forgetOld();
    this.#work = this.#work.then(() => this.#run(job, request, found));
    return id;
  }

  /** Undefined if it is not remembered; verified contracts are still known by their addresses. */
  state(id: string): VerificationState | undefined {
    return this.#jobs.get(id)?.state;
  }

  /** Resolves when nothing is queued. */
  idle(): Promise<void> {
    return this.#work;
  }

  #compiler(text: string): Compiler {
    const { compilers } = this.#deps;
    const version = parseCompilerVersion(text);
    const found = version && compilers.find(version);
    if (found !== undefined) return found;
    const offered = compilers.list().map(compilerVersionText).join(', ') || 'none';
    const message = `compiler: expected an installed one (${offered}), got ${JSON.stringify(text.slice(0, 100))}; the explorer's operator can add it to the directory SVC_EXPLORER_EVM_SOLC_DIRPATH`;
    throw new HttpError(422, 'no-compiler', message);
  }

  async #run(job: Job, request: VerificationRequest, compiler: Compiler): Promise<void> {
    const { log, clock, signal } = this.#deps;
    const began = clock.now();
    const { address } = request;
    try {
      const match = await this.#verify(request, job.client, compiler);
      job.state = { state: 'verified', match };
      log.info({ address, match, ms: clock.now() - began }, 'contract verified');
    } catch (error) {
      if (isAbort(error, signal)) return;
      const isForeseen = error instanceof NotVerified;
      job.state = {
        state: 'failed',
        reason: isForeseen ? error.message : 'internal error; see the log of the explorer',
      };
      if (isForeseen) log.debug({ address, reason: errorLine(error) }, 'contract not verified');
      else log.warn({ address, error: errorLine(error) }, 'a verification failed');
    }
  }

  async #verify({ rollup, address, ...claim }: VerificationRequest, client: string, compiler: Compiler) {
    const { contracts, wall, signal, limits = {} } = this.#deps;
    const code = await getCode(rollup.node, `0x${address}`, signal);
    const deployed = { code, creation: await getCreation(rollup.node, `0x${address}`, signal) };
    const verified = await verifyContract(claim, deployed, async (input) => {
      const report = await compile({ compiler: compiler.path, input }, limits, signal);
      mustBe(claim.compiler, report.version);
      return report;
    });
    const { artifact, match, constructorArguments } = verified;
    const hash = codeHash(code);
    const version = parseCompilerVersion(verified.compiler);
    const record = {
      ...{ rollup: rollup.id, address, codeHash: hash, kind: match.kind, path: artifact.path, name: artifact.name },
      ...{ compiler: version === undefined ? verified.compiler : compilerVersionText(version), constructorArguments },
      ...{ libraries: match.libraries, abi: JSON.stringify(artifact.abi), time: wall.unixMs() },
    };
    await this.#keeper.keep(record, claim.input, client);
    contracts.forget();
    return match.kind;
  }

  #forgetOld(): void {
    for (const [id, { state }] of this.#jobs) {
      if (this.#jobs.size <= MAX_REMEMBERED) return;
      if (state.state !== 'queued') this.#jobs.delete(id);
    }
  }
}

/** A file may have another compiler in it than its name has. */
function mustBe(requested: string, reported: string): void {
  const [wanted, got] = [parseCompilerVersion(requested), parseCompilerVersion(reported)];
  if (wanted !== undefined && got !== undefined && !isSameCompiler(wanted, got))
    throw new NotVerified(`compiler: expected ${compilerVersionText(wanted)}, got ${compilerVersionText(got)}`);
}
