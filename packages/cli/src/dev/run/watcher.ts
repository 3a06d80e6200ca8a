import { type ChildProcess, spawn } from 'node:child_process';
import { afterExit, HEALTHY_MS } from '@switchyard/network/supervisor/restart';

/** Failures in a row of the tool that the watcher has started again. */
const FAILURES = 'SWITCHYARD_RUN_FAILURES';

/**
 * Waits for the end of its input, which comes with the end of the tool, however that ends; then becomes the tool. Both pauses
 * are given: that after a short run, and that after a long one.
 */
const SCRIPT = `
  began=$(date +%s) failures=$1 pause=$2 first=$3 healthy=$4
  shift 4
  read -r line
  [ $(($(date +%s) - began)) -lt "$healthy" ] || failures=1 pause=$first
  echo "switchyard: the process of the network has ended, and is started again in $pause s"
  sleep "$pause"
  export ${FAILURES}="$failures"
  exec "$@" < /dev/null
`;

/** Starts the tool again, with the same arguments, when it is killed or aborted: a shell, since it has to outlive all else. */
export class Watcher {
  /** Whether the tool of this process was started by one. */
  readonly isAgain: boolean;
  readonly #env: NodeJS.ProcessEnv;
  #shell: ChildProcess | undefined;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
    this.isAgain = env[FAILURES] !== undefined;
  }

  get pid(): number | undefined {
    return this.#shell?.pid;
  }

  start(): void {
    if (this.#shell !== undefined) return;
    const killed = { code: undefined, signal: 'SIGKILL' } as const;
    const ran = { failures: Number(this.#env[FAILURES] ?? 0), endless: true, known: true };
    const [next, first] = [0, HEALTHY_MS].map((ms) => afterExit(killed, { ...ran, ms }, Math.random));
    if (next?.kind !== 'again' || first?.kind !== 'again') throw new Error('a killed tool is not started again');
    const seconds = [next.afterMs, first.afterMs, HEALTHY_MS].map((ms) => String(ms / 1_000));
    const tool = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
    const shell = spawn('/bin/sh', ['-c', SCRIPT, 'sh', String(next.failures), ...seconds, ...tool], {
      stdio: ['pipe', 'inherit', 'inherit'],
      // A signal to the tool's group must not end it first.
      detached: true,
      env: this.#env,
    });
    // Without a shell nothing starts the tool again.
    shell.on('error', () => {});
    shell.stdin.on('error', () => {});
    shell.unref();
    this.#shell = shell;
  }

  /** The end of the tool is its own from now on. */
  end(): void {
    this.#shell?.kill('SIGKILL');
  }
}
