import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ServiceSpec } from '@switchyard/network/supervisor/spec';
import { Failure, tried } from '@switchyard/service/failure';
import { withoutEffect } from '../config/check/contradictions.ts';
import { toLine } from '../config/check/finding.ts';
import { checkName } from '../config/check/rollups.ts';
import { unknownSettings } from '../config/check/unknown.ts';
import type { InstancePaths } from '../instance/home.ts';
import { type Instance, readInstance } from '../instance/instance.ts';
import { RUN_VARIABLE } from '../instance/run-file.ts';
import { type Flags, withFlags } from '../services/flags.ts';
import type { PlannedService } from '../services/planned.ts';
import { notedProgram } from '../services/program.ts';
import { planServices } from '../services/services.ts';

export interface PlanSource {
  readonly paths: InstancePaths;
  readonly network: string;
  readonly env: NodeJS.ProcessEnv;
  /** From the command line; these take precedence over the files. */
  readonly flags: Flags;
}

/** The services of one run, as the files describe them; services are read again before a manual start. */
export class RunPlan {
  /** Instance as read at the start. */
  readonly instance: Instance;
  readonly #source: PlanSource;
  readonly #services: PlannedService[];
  #read: Fingerprints;

  /** @throws {Failure} when the files are wrong. */
  constructor(source: PlanSource) {
    this.#source = source;
    this.#read = fingerprints(source.paths);
    this.instance = this.#readInstance();
    this.#services = planServices(this.instance, source.env);
  }

  get services(): readonly PlannedService[] {
    return this.#services;
  }

  /** Notices about the files that the user should know, and that prevent nothing. */
  notices(): string[] {
    const unknown = unknownSettings(this.instance).filter(({ severity }) => severity === 'error');
    return [...withoutEffect(this.instance), ...checkName(this.instance), ...unknown].map(toLine);
  }

  find(name: string): PlannedService | undefined {
    return this.#services.find((service) => service.name === name);
  }

  /** Replaces the service of the same name. */
  replace(service: PlannedService): void {
    this.#services[this.#services.findIndex(({ name }) => name === service.name)] = service;
  }

  /** @param run Marks the environment of every process of the run. */
  specs(run: string): ServiceSpec[] {
    return this.#services.map((service) => this.#marked(service, run));
  }

  /** Reads one service again. @throws {Failure} */
  refresh(name: string, run: string): ServiceSpec {
    const found = this.#planAgain().find((service) => service.name === name);
    if (found === undefined) throw new Failure(`${this.#source.paths.networks}: has no service ${name} any more`);
    this.replace(found);
    return this.#marked(found, run);
  }

  /**
   * Reads all files again, for a restart of all services.
   *
   * @returns the fingerprints to confirm once the services have been refreshed.
   * @throws {Failure} when the files now describe other services.
   */
  reread(): Fingerprints {
    const now = fingerprints(this.#source.paths);
    const [names, before] = [sortedNames(this.#planAgain()), sortedNames(this.#services)];
    if (names.join() !== before.join()) {
      throw new Failure(
        `${this.#source.paths.networks}: has other services now (${names.join(', ')}): \`switchyard dev stop\`, then \`switchyard dev run\``,
      );
    }
    return now;
  }

  confirm(read: Fingerprints): void {
    this.#read = read;
  }

  /** Files of the instance that were edited since they were last read. */
  changedFiles(): string[] {
    return [...fingerprints(this.#source.paths)].flatMap(([path, now]) => (this.#read.get(path) === now ? [] : [path]));
  }

  #marked(service: PlannedService, run: string): PlannedService {
    const part = this.#source.flags.inProcess === true && this.#sharesProcess(service) ? service.builtin : undefined;
    return { ...service, env: { ...service.env, [RUN_VARIABLE]: run }, ...(part !== undefined && { part }) };
  }

  /** Only a process of its own can have options of Node or arguments, or be taken down by the CometBFT next to it. */
  #sharesProcess({ ownOptions }: PlannedService): boolean {
    return !ownOptions && !this.#services.some(({ comet }) => comet !== undefined);
  }

  #readInstance(): Instance {
    const { paths, network, env, flags } = this.#source;
    return withFlags(readInstance(paths, network, env), flags);
  }

  #planAgain(): PlannedService[] {
    const planned = planServices(this.#readInstance(), this.#source.env);
    for (const { download, name } of planned) {
      if (download === undefined || notedProgram(download.directory) !== undefined) continue;
      throw new Failure(`${name} has to be downloaded first: \`switchyard dev stop\`, then \`switchyard dev run\``);
    }
    return planned;
  }
}

function sortedNames(services: readonly PlannedService[]): string[] {
  return services.map(({ name }) => name).sort();
}

/** Hash of each file of an instance; `undefined` for a missing one. */
type Fingerprints = ReadonlyMap<string, string | undefined>;

function fingerprints(paths: InstancePaths): Fingerprints {
  const { networks, base, sequencerGenesis, rollupGenesis, validatorKey, composerKey } = paths;
  const files = [networks, base, sequencerGenesis, rollupGenesis, validatorKey, composerKey];
  return new Map(files.map((path) => [path, fingerprint(path)]));
}

const fingerprint = (path: string) =>
  tried(Error, undefined, () => createHash('sha256').update(readFileSync(path)).digest('hex'));
