import { useState } from 'react';
import { textOf, word } from '../api.ts';
import { formatCount } from '../format.ts';
import { Answer } from '../parts/answer.tsx';
import { Badge } from '../parts/layout.tsx';
import { type CallNode, callTree } from './calls.ts';
import { Address, ether } from './cells.tsx';

/** Deeper calls are opened by hand: a trace may be a thousand deep. */
const OPEN_TO = 4;

/** All calls of a transaction. The node executes it again for this, so it is asked only on request. */
export function TraceTree({ base, hash }: { readonly base: string; readonly hash: string }) {
  const [isWanted, setWanted] = useState(false);
  return (
    <section className="card" aria-label="Call trace">
      <h2>Call trace</h2>
      {!isWanted && (
        <p>
          <button type="button" onClick={() => setWanted(true)}>
            Execute again and show all calls
          </button>
        </p>
      )}
      {isWanted && (
        <Answer
          path={`${base}/transactions/${hash}/trace`}
          show={(trace) => (
            <>
              <ul className="calls">
                {callTree(trace.at('calls').list()).map((node, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: calls are known by their position
                  <Call key={index} base={base} node={node} depth={0} />
                ))}
              </ul>
              {word(trace.at('isCut')) === 'true' && <p className="quiet">The trace has more calls than are shown.</p>}
            </>
          )}
        />
      )}
    </section>
  );
}

function Call({ base, node, depth }: { readonly base: string; readonly node: CallNode; readonly depth: number }) {
  const [isOpen, setOpen] = useState(depth < OPEN_TO);
  const { call, calls } = node;
  const [error, value] = [textOf(call, 'error'), textOf(call, 'value')];
  return (
    <li>
      <Badge tone={error === '' ? 'plain' : 'bad'}>{textOf(call, 'type').toLowerCase()}</Badge>{' '}
      <Address base={base} text={word(call.at('to'))} />{' '}
      <code>{textOf(call, 'method') || textOf(call, 'selector')}</code>
      {value !== '0' && value !== '' && ` · ${ether(value)}`}
      <span className="quiet"> · {formatCount(textOf(call, 'gasUsed'))} gas</span>
      {error !== '' && <span className="reason"> · {error}</span>}
      {calls.length > 0 && (
        <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>
            {calls.length} {calls.length === 1 ? 'call' : 'calls'}
          </summary>
          {isOpen && (
            <ul className="calls">
              {calls.map((each, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: calls are known by their position
                <Call key={index} base={base} node={each} depth={depth + 1} />
              ))}
            </ul>
          )}
        </details>
      )}
    </li>
  );
}
