import { Input } from '@switchyard/client/http-api';
import { rollups } from '@switchyard/explorer/contract';
import type { ReactNode } from 'react';
import { formatCount, words } from '../../ui/format.ts';
import { shown } from '../../ui/shown.ts';
import { Answer } from '../parts/answer.tsx';
import { FactList } from '../parts/layout.tsx';
import { word } from '../word.ts';

/** Members of an answer beyond these are left to the API. */
const MAX_MEMBERS = 50;
const MAX_TEXT = 300;

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
          if (!input.isObject) return <p>{shownValue(input)}</p>;
          const members = input.members().slice(0, MAX_MEMBERS);
          return (
            <FactList facts={members.map(([name, member]) => [shown(words(name.slice(0, 100))), shownValue(member)])} />
          );
        }}
      />
    </section>
  );
}

function shownValue(member: Input): ReactNode {
  const text = word(member);
  if (/^\d{1,40}$/.test(text)) return formatCount(text);
  if (text !== '' || !member.isPresent) return shown(text.slice(0, MAX_TEXT));
  const json = JSON.stringify(member.value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each));
  return <code>{shown(json.length > MAX_TEXT ? `${json.slice(0, MAX_TEXT)}…` : json)}</code>;
}
