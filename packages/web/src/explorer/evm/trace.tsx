import { evm } from '@switchyard/explorer/contract';
import { useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { formatCount } from '../../ui/format.ts';
import { shown } from '../../ui/shown.ts';
import { Answer } from '../parts/answer.tsx';
import { Long } from '../parts/cells.tsx';
import { Card, Each } from '../parts/layout.tsx';
import { ether } from './amounts.ts';
import { type CallNode, callTree } from './calls.ts';
import { Address } from './columns.tsx';

/** Deeper calls are opened by hand: a trace may be a thousand deep. */
const OPEN_TO = 4;

/** All calls of a transaction. The node executes it again for this, so it is fetched only on request. */
export function TraceTree({ rollup, hash }: { readonly rollup: string; readonly hash: string }) {
  const [isWanted, setWanted] = useState(false);
  return (
    <Card title="Call trace">
      {!isWanted ? (
        <button type="button" onClick={() => setWanted(true)}>
          Execute again and show all calls
        </button>
      ) : (
        <Answer
          route={evm.getEvmTrace}
          params={{ rollup, hash }}
          isOnce
          show={({ calls, isCut }) => (
            <>
              <Calls of={callTree(calls)} depth={0} />
              {isCut && <p className="quiet">The trace has more calls than are shown.</p>}
            </>
          )}
        />
      )}
    </Card>
  );
}

const Calls = ({ of: calls, depth }: { readonly of: readonly CallNode[]; readonly depth: number }) => (
  <ul className="calls">
    <Each of={calls} show={(node) => <Call depth={depth} {...node} />} />
  </ul>
);

function Call({ call, calls, depth }: CallNode & { readonly depth: number }) {
  const [isOpen, setOpen] = useState(depth < OPEN_TO);
  return (
    <li>
      <Badge tone={call.error === null ? 'plain' : 'bad'}>{shown(call.type).toLowerCase()}</Badge>{' '}
      <Address text={call.to} /> <code>{shown(call.method || call.selector)}</code>
      {call.value !== '0' && ` · ${ether(call.value)}`}
      <span className="quiet"> · {formatCount(call.gasUsed)} gas</span>
      {call.error !== null && (
        <span className="reason">
          {' · '}
          <Long>{shown(call.error)}</Long>
        </span>
      )}
      {calls.length > 0 && (
        <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>
            {calls.length} {calls.length === 1 ? 'call' : 'calls'}
          </summary>
          {isOpen && <Calls of={calls} depth={depth + 1} />}
        </details>
      )}
    </li>
  );
}
