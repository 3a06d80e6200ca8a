import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Chain, genesis and exchanges of the suite: see the README there. */
export const SUITE = fileURLToPath(new URL('../../../testdata/execution-apis/', import.meta.url));

export interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A request as text, and the answer that is expected to it. */
export interface Exchange {
  readonly request: string;
  readonly answer: Answer;
}

export interface ConformanceFile {
  /** Folder and file, without its ending. */
  readonly name: string;
  readonly exchanges: readonly Exchange[];
  /** Only the form of the answer is given, not its values. */
  readonly formOnly: boolean;
}

export function conformanceFiles(): ConformanceFile[] {
  const folders = readdirSync(SUITE, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.flatMap(({ name: folder }) =>
    readdirSync(join(SUITE, folder)).map((file) => {
      const lines = readFileSync(join(SUITE, folder, file), 'utf8').split('\n');
      return {
        name: `${folder}/${file.replace(/\.io$/, '')}`,
        exchanges: getExchanges(lines),
        formOnly: lines.some((line) => /^\/\/\s*speconly:/.test(line)),
      };
    }),
  );
}

function getExchanges(lines: readonly string[]): Exchange[] {
  const exchanges: Exchange[] = [];
  let request: string | undefined;
  for (const line of lines) {
    if (line.startsWith('>>')) request = line.slice(2);
    // The suite's own, and well-formed.
    else if (line.startsWith('<<') && request !== undefined)
      exchanges.push({ request, answer: JSON.parse(line.slice(2)) as Answer });
  }
  return exchanges;
}
