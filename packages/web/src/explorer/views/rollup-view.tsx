import type { Input } from '@switchyard/client/http-api';
import type { ReactNode } from 'react';
import { textOf, word } from '../api.ts';
import { formatCount, words } from '../format.ts';
import { Answer } from '../parts/answer.tsx';
import { FactList } from '../parts/layout.tsx';
import { shown } from '../shown.ts';

/** Members of an answer beyond these are left to the API. */
const MAX_MEMBERS = 50;
const MAX_TEXT = 300;

/** What a rollup answers about its state, whatever that is: its API has it, and this page knows nothing of the rollup. */
export function RollupView({
  base,
  view,
  turn,
}: {
  readonly base: string;
  readonly view: Input;
  readonly turn: number;
}) {
  const title = textOf(view, 'summary') || textOf(view, 'name');
  return (
    <section className="card" aria-label={title}>
      <h2>{title}</h2>
      <Answer
        path={`${base}/views/${encodeURIComponent(word(view.at('name')))}`}
        turn={turn}
        show={(answer) =>
          answer.isObject ? (
            <FactList
              facts={answer
                .members()
                .slice(0, MAX_MEMBERS)
                .map(([name, member]) => [shown(words(name.slice(0, 100))), shownValue(member)])}
            />
          ) : (
            <p>{shownValue(answer)}</p>
          )
        }
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
