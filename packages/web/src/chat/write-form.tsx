import { MAX_TEXT_BYTES } from '@switchyard/messenger/client';
import { isInvisible } from '@switchyard/protocol/hidden-characters';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { readSetting, writeSetting } from './settings.ts';

const DRAFT = 'draft';
const utf8 = new TextEncoder();

interface WriteFormProps {
  /** Why nothing can be sent now; undefined where it can. */
  readonly obstacle: string | undefined;
  readonly send: (text: string) => void;
}

/** Where a message is written. The draft survives a reload. */
export function WriteForm({ obstacle, send }: WriteFormProps) {
  const [draft, setDraft] = useState(() => readSetting('page', DRAFT) ?? '');
  useEffect(() => writeSetting('page', DRAFT, draft), [draft]);
  const text = draft.trim();
  const bytes = utf8.encode(text).length;
  const isTooLong = bytes > MAX_TEXT_BYTES;
  const isEmpty = isInvisible(text);
  const canSend = !isEmpty && !isTooLong && obstacle === undefined;

  const submit = () => {
    if (!canSend) return;
    send(text);
    setDraft('');
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    // An input method uses Enter to choose a word.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    submit();
  };
  return (
    <form
      className="write"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <textarea
        id="message"
        aria-label="Message"
        aria-describedby="limit"
        aria-invalid={isTooLong}
        placeholder="Message"
        autoComplete="off"
        dir="auto"
        rows={Math.min(5, draft.split('\n').length)}
        value={draft}
        onChange={(event) => setDraft(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <button type="submit" disabled={!canSend}>
        Send
      </button>
      <p id="limit" className={isTooLong ? 'problem' : 'hint'} role={isTooLong ? 'alert' : undefined}>
        {isTooLong || bytes > MAX_TEXT_BYTES * 0.8
          ? `${bytes} of at most ${MAX_TEXT_BYTES} bytes`
          : isEmpty && draft !== ''
            ? 'nothing of this text can be seen: it is not sent'
            : (obstacle ?? '')}
      </p>
    </form>
  );
}
