import { EventEmitter } from 'node:events';
import type { Part } from './frame.ts';
import type { Key } from './keys.ts';

export interface Ink {
  /** The lines of the screen: the chrome as Ink lays it out, the log rows between as they are. */
  compose(parts: readonly Part[], columns: number): string[];
  /** Lets go of the keyboard. */
  close(): void;
}

/**
 * Ink, kept to what it does in time. Drawing a whole screen through it takes up to 40 ms, so it gets only the lines that
 * are not log lines, and only when one of them has changed; and it draws into a string, so that the rows which really
 * changed can be sent, and sent together.
 */
export async function openInk(deps: {
  readonly input: NodeJS.ReadStream;
  readonly onKey: (key: Key) => void;
}): Promise<Ink> {
  // React's development build is slow, and keeps what it measured.
  process.env.NODE_ENV ??= 'production';
  const [{ render }, { createElement }, { Chrome }] = await Promise.all([
    import('ink'),
    import('react'),
    import('./app.tsx'),
  ]);
  const paper = new Paper();
  const chromeOf = (blocks: readonly (readonly string[])[]) => createElement(Chrome, { blocks, onKey: deps.onKey });
  const ink = render(chromeOf([]), {
    // Ink asks it for its width and writes to it, nothing else.
    stdout: paper as unknown as NodeJS.WriteStream,
    stdin: deps.input,
    // Every frame is written whole and at once: when one is due is decided elsewhere.
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  let drawn = '';
  return {
    compose(parts, columns) {
      const blocks = parts.flatMap(({ kind, lines }) => (kind === 'chrome' ? [lines] : []));
      const key = `${columns}\n${blocks.map((lines) => lines.join('\n')).join('\n\n')}`;
      if (key !== drawn) {
        paper.columns = Math.max(1, columns);
        ink.rerender(chromeOf(blocks));
        drawn = key;
      }
      let next = 0;
      return parts.flatMap(({ kind, lines }) => {
        if (kind === 'rows') return lines;
        next += lines.length;
        return lines.map((_, index) => paper.lines[next - lines.length + index] ?? '');
      });
    },
    close: () => ink.unmount(),
  };
}

/** Where Ink writes: the last frame, as lines. */
class Paper extends EventEmitter {
  columns = 80;
  lines: readonly string[] = [];

  write(frame: string): boolean {
    this.lines = frame.split('\n');
    return true;
  }
}
