import { useState } from 'react';
import type { Example } from './messages.ts';
import { type Files, isSource, packProject } from './sources.ts';

interface EditorProps {
  readonly example: Example;
  readonly files: Files;
  run(sources: Files | undefined): void;
  stop(): void;
}

/** Sources of the definition, to be changed and run as a new chain. */
export function Editor({ example, files, run, stop }: EditorProps) {
  const [edited, setEdited] = useState<Files>({});
  const [path, setPath] = useState(`src/${example}.ts`);
  const all = { ...files, ...edited };
  const text = all[path] ?? '';
  const start = () => {
    const sources = Object.entries(all).filter(([each]) => isSource(each));
    const own = Object.fromEntries(sources.map(([each, source]) => [each.slice('src/'.length), source]));
    run(Object.keys(edited).length === 0 ? undefined : own);
  };
  const download = async () => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(await packProject(example, all));
    link.download = `${example}.tar.gz`;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <section className="card editor" aria-label="Source">
      <p className="row">
        <select aria-label="File" value={path} onChange={(event) => setPath(event.currentTarget.value)}>
          {Object.keys(files)
            .filter(isSource)
            .map((each) => (
              <option key={each}>{each}</option>
            ))}
        </select>
        <button type="button" onClick={start}>
          Run
        </button>
        <button type="button" className="plain" onClick={stop}>
          Stop
        </button>
        <button type="button" className="plain" onClick={() => void download()}>
          Open this in a project
        </button>
      </p>
      <div className="source">
        <pre aria-hidden="true">{text.split('\n').map((_, line) => `${line + 1}\n`)}</pre>
        <textarea
          aria-label={path}
          spellcheck={false}
          wrap="off"
          value={text}
          rows={text.split('\n').length}
          onInput={(event) => setEdited({ ...edited, [path]: event.currentTarget.value })}
        />
      </div>
    </section>
  );
}
