import { Input } from '@switchyard/client/http-api';
import { rollups } from '@switchyard/explorer/contract';
import { shown } from '../../ui/shown.ts';
import { Answer } from '../parts/answer.tsx';
import { Member, Members } from './members.tsx';

interface ViewProps {
  readonly rollup: string;
  readonly view: { readonly name: string; readonly summary: string };
  readonly turn: number;
}

/** Shows any answer of a rollup about its state: its API defines the form; this page knows nothing of the rollup. */
export function RollupView({ rollup, view, turn }: ViewProps) {
  const title = shown(view.summary || view.name);
  return (
    <section className="card" aria-label={title}>
      <h2>{title}</h2>
      <Answer
        route={rollups.getRollupView}
        params={{ rollup, view: view.name }}
        turn={turn}
        show={(answer) => {
          const input = new Input(answer, view.name);
          return input.isObject ? <Members of={input} /> : <Member name="" member={input} depth={0} />;
        }}
      />
    </section>
  );
}
