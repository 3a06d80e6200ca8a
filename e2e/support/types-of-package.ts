import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './network.ts';

/** The part of `@arethetypeswrong/core` that is used here. */
interface AreTheTypesWrong {
  createPackageFromTarballData(bytes: Uint8Array): unknown;
  checkPackage(of: unknown): Promise<{ readonly types: unknown; readonly problems?: readonly Problem[] }>;
}

export interface Problem {
  readonly kind: string;
  readonly entrypoint?: string;
  readonly resolutionKind?: string;
}

/** Node's old resolution, and that of `require` before it could load modules: our packages are modules. */
const NOT_FOR_MODULES = ['node10', 'node16-cjs'];

/**
 * Problems that `attw --profile esm-only` reports for a packed library. Its program starts a compiler for each package, which takes
 * seven times as long.
 */
export async function typeProblems(file: string): Promise<readonly Problem[]> {
  const core = join(root, 'e2e', 'tools', 'node_modules', '@arethetypeswrong', 'core', 'dist', 'index.js');
  // Installed next to the other programs, so its types are not here.
  const { checkPackage, createPackageFromTarballData } = (await import(core)) as AreTheTypesWrong;
  const { types, problems = [] } = await checkPackage(createPackageFromTarballData(readFileSync(file)));
  if (types === false) return [{ kind: 'NoTypes' }];
  return problems.filter(({ resolutionKind }) => !NOT_FOR_MODULES.includes(resolutionKind ?? ''));
}
