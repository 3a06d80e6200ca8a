import { CopyButton } from '../../ui/copy.tsx';
import { shown } from '../../ui/shown.ts';
import { Card } from '../parts/layout.tsx';

/** A browser takes long to lay out more. */
const MAX_LINES = 20_000;

interface SourcesProps {
  /** Path of the file that is open at first. */
  readonly main: string;
  readonly sources: readonly (readonly [path: string, text: string])[];
}

/** Source files as text with numbered lines. Characters that hide or turn text are shown by their codes. */
export function Sources({ main, sources }: SourcesProps) {
  const ordered = [...sources].sort(([a], [b]) => Number(b === main) - Number(a === main));
  return (
    <Card title="Sources">
      {ordered.map(([path, text]) => (
        <details key={path} open={path === main}>
          <summary>
            <code>{shown(path)}</code>
          </summary>
          <SourceText text={text} label={path} />
        </details>
      ))}
    </Card>
  );
}

export function SourceText({ text, label }: { readonly text: string; readonly label: string }) {
  const lines = text.split(/\r?\n/);
  return (
    <>
      <p>
        <CopyButton text={text} what={label} />
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, which has to work by keys */}
      <section className="source" tabIndex={0} aria-label={shown(label)}>
        <pre>
          {lines.slice(0, MAX_LINES).map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its number
            <span key={index} className="line" data-number={index + 1}>
              {`${shown(line.replaceAll('\t', '    '))}\n`}
            </span>
          ))}
          {lines.length > MAX_LINES && `… ${lines.length - MAX_LINES} more lines`}
        </pre>
      </section>
    </>
  );
}
