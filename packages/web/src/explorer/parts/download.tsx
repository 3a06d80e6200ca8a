import { useState } from 'react';
import { formatCount } from '../../ui/format.ts';
import { saveFile } from '../../ui/save-file.ts';
import { getMessage, type Source } from '../api.ts';
import { firstRows, MAX_ROWS, toCsv } from './csv.ts';

/** A button that saves a list as a file. */
export function Download({ title, source }: { readonly title: string; readonly source: Source<unknown> }) {
  const [state, setState] = useState('');
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    setState('Reading…');
    try {
      const { rows, isCut } = await firstRows((cursor, limit) => source.load(cursor, limit));
      saveFile(`${title.toLowerCase().replaceAll(/[^a-z]+/g, '-')}.csv`, toCsv(rows), 'text/csv');
      setState(
        isCut ? `The first ${formatCount(rows.length)} rows; the API has more.` : `${formatCount(rows.length)} rows.`,
      );
    } catch (error) {
      setState(getMessage(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <span className="download">
      <button
        type="button"
        className="plain small"
        disabled={isBusy}
        aria-label={`Download as CSV: ${title}`}
        title={`At most ${formatCount(MAX_ROWS)} rows`}
        onClick={() => void save()}
      >
        Download CSV
      </button>{' '}
      <span role="status" className="quiet">
        {state}
      </span>
    </span>
  );
}
