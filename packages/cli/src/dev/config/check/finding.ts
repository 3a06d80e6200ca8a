import type { Instance } from '../../instance/instance.ts';

/** An inconsistency, for people. */
export interface Finding {
  /** A warning may be intended; an error prevents something from working. */
  readonly severity: 'error' | 'warning';
  readonly problem: string;
  readonly places: readonly Place[];
  /** Suggested remedy: a command if there is one. */
  readonly fix: string;
}

export interface Place {
  readonly file: string;
  /** From 1; absent if the key is not in the file. */
  readonly line?: number;
  readonly key: string;
  readonly value: string;
}

/** Contents and mode of a file; `value` only if it is JSON. */
export interface FileFacts {
  readonly exists: boolean;
  /** Permission bits. */
  readonly mode: number;
  readonly modifiedMs: number;
  readonly text: string;
  readonly value: unknown;
}

/** Everything the rules look at: plain values, read once. */
export interface CheckInput {
  readonly instances: readonly Instance[];
  /** Genesis files and key files that the settings name, by path. */
  readonly files: ReadonlyMap<string, FileFacts>;
  /** When the services were started, if they run. */
  readonly runningSinceMs: number | undefined;
  /** Environment of this command, which a service inherits. */
  readonly env: NodeJS.ProcessEnv;
  /** Selects the instance in a command, to follow `switchyard dev ...`. */
  readonly flags: string;
}

export type Rule = (input: CheckInput) => Finding[];

const getFinding =
  (severity: Finding['severity']) =>
  (problem: string, places: readonly Place[], fix: string): Finding => ({ severity, problem, places, fix });
export const [error, warning] = [getFinding('error'), getFinding('warning')];

export const shown = (value: unknown): string =>
  value === undefined ? 'nothing' : typeof value === 'string' ? value : JSON.stringify(value);

export function unique(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [JSON.stringify([finding.problem, finding.places]), finding])).values()];
}
