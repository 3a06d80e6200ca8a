import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import solc from 'solc';
import { contracts } from './evm.ts';
import { type Ran, root, run } from './network.ts';

const files = join(root, 'e2e', 'hardhat3');
const program = join(files, 'node_modules', 'hardhat', 'dist', 'src', 'cli.js');
const [major = 0] = process.versions.node.split('.').map(Number);
/** Hardhat 3 needs Node 22. */
const node = process.env.SWITCHYARD_NEWER_NODE ?? (major >= 22 ? process.execPath : '');

export function hardhatThreeIsThere(): boolean {
  if (node !== '' && existsSync(program)) return true;
  console.log(
    'no Hardhat 3 found: its scenarios are left out (it is installed by npm test where a Node 22 or newer is)',
  );
  return false;
}

export const COMPILER = String(solc.version()).replace('.Emscripten.clang', '');

/** A project of Hardhat 3 with the token. */
export interface HardhatThree {
  /** Runs the real `hardhat` to its end. */
  run(...args: readonly string[]): Promise<Ran>;
  /** @throws {Error} if it fails. */
  printed(...args: readonly string[]): Promise<string>;
  /** For a node that is killed. */
  start(...args: readonly string[]): ChildProcess;
}

/**
 * Hardhat wants sources and its own packages below the project.
 *
 * @param env `EVM_URL` and `CHAIN_ID`; `DEPLOYER_KEY` if the node signs for no account, `EXPLORER_URL` for verification.
 */
export function hardhatThree(home: string, env: Readonly<Record<string, string>>): HardhatThree {
  const project = join(home, 'hardhat3');
  cpSync(join(contracts, 'src'), join(project, 'contracts'), { recursive: true });
  cpSync(join(files, 'modules'), join(project, 'ignition', 'modules'), { recursive: true });
  for (const file of ['package.json', 'hardhat.config.js', 'helpers.js'])
    cpSync(join(files, file), join(project, file));
  symlinkSync(join(files, 'node_modules'), join(project, 'node_modules'));
  const [version = ''] = COMPILER.split('+');
  const whole = {
    ...{ HOME: home, HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true', HARDHAT_IGNITION_CONFIRM_DEPLOYMENT: 'true' },
    ...{ SOLJSON: join(root, 'node_modules', 'solc', 'soljson.js'), SOLC_VERSION: version, NODE_OPTIONS: '' },
    ...env,
  };
  const hardhat = {
    run: (...args: readonly string[]) => run(node, [program, ...args], whole, project),
    async printed(...args: readonly string[]) {
      const { status, stdout, stderr } = await hardhat.run(...args);
      if (status !== 0) throw new Error(`hardhat ${args.join(' ')}: ${stderr}${stdout}`);
      return stdout;
    },
    start: (...args: readonly string[]) =>
      spawn(node, [program, ...args], { cwd: project, env: { ...process.env, ...whole }, stdio: 'ignore' }),
  };
  return hardhat;
}
